"""Words that markers are built from, as regular expressions in which a blank is any white space."""

from __future__ import annotations

# "I don't drink coffee any more": what ends the fact may stand behind the verb, within the sentence.
ENDING = (
    r"(?P<ends>no\s+longer|(?:don'?t|do\s+not|not)(?=[^.!?\n]{1,120}\sany\s?(?:more|longer))|used\s+to|stopped|quit)"
)
# Up to three adverbs, as in "I really do just love": more are no statement but noise.
ENDING_AND_ADVERBS = (
    rf"(?:{ENDING}\s+)?"
    r"(?:(?:also|real+y|still|just|do|always|usually|generally|mostly|mainly|absolutely|truly|actually|personally|now"
    r"|currently|especially|particularly|recently|very\s+much|definitely|certainly|strongly|severely|deathly|highly"
    r"|much|simply|mildly|slightly|extremely|terribly|totally|completely|deeply|tend\s+to)\s+){0,3}"
)
# Persons, animals and groups that a user has one of, or says which: a name stated of them is worth keeping.
RELATIVE = (
    "wife|husband|partner|spouse|fianc[eé]e?|girlfriend|boyfriend|sister|brother|mother|mom|mum|father|dad|son|daughter"
    "|grandmother|grandma|grandfather|grandpa|aunt|uncle|cousin|niece|nephew|baby|twin|dog|cat|pet|puppy|kitten|horse"
    "|parrot|rabbit|hamster|boss|manager|supervisor|teacher|doctor|dentist|therapist|coach|assistant|(?:best )?friend"
    "|roommate|flatmate|neighbou?r|colleague|coworker|landlord|mentor|company|team|startup"
)
ATTRIBUTE = (
    "timezone|time zone|e-?mail(?: address)?|website|homepage|school|university|college"
    # "My phone is broken" is no number: without the word "number" digits have to follow.
    "|blood type|(?:phone|mobile|cell)(?: number|(?= is \\+?[\\d(]))|zip code|postcode|pronouns"
    "|nationality|(?:native|first|second|mother) (?:language|tongue)|job(?: title)?|occupation|profession|employer|role"
    "|star sign|(?:shoe|shirt|dress|ring|clothing|t-shirt) size|height|budget|diet|major|age"
    r"|(?:github|twitter) (?:username|handle)|preferred [a-z]+"
    # "My favourite part of this" is about the conversation, not about the user.
    r"|fav(?:e|ou?rite)? (?!part|thing|bit|one|moment|line|example)[a-z]+(?: [a-z]+)?"
)
DAY = "birthday|b-?day|birth date|date of birth|anniversary|name day"
OTHER_NAME = r"(?:middle|last|family|user|maiden)\s?name|surname"
PLACE = "hometown|home town|home city|(?:home |postal |shipping )?address"
POSSESSION = "car|bike|bicycle|motorbike|van|laptop|computer|pc|phone|tablet|camera|guitar|piano|house|flat|apartment"
SEVERAL = "dogs|cats|pets|children|kids|sons|daughters|sisters|brothers|twins|parents"
# "My car is a disaster": a figure of speech and no kind of car.
FIGURE = (
    r"(?:\w+ )?"
    r"(?:mess|disaster|joke|wreck|pain|problem|nightmare|brick|bit|little|help|genius|saint|angel|delight)\b"
)
# "My address is private", "my school is closed": how something is just now, not what it is.
NO_STATE = (
    r"(?! (?:so |very |too |real+y |still |already )?(?:dead|going|getting|closed|open|tight|stressful|boring|hard"
    r"|bad|good|great|fine|gone|lost|full|empty|working|killing|unknown|private|secret|irrelevant|important|complicated|okay|ok"
    r"|down|up|ready|done|low|high|on|in|at|the same)\b"
    rf"| an? {FIGURE})"
)
# A list, since "I'm a ..." is followed by anything: "a fan", "a bit late", "a big believer".
OCCUPATION = (
    "accountant|actor|actress|analyst|architect|artist|author|baker|banker|barber|barista|bartender|biologist|builder"
    "|butcher|carpenter|cashier|chef|chemist|coder|composer|consultant|cook|dancer|dentist|designer|developer|doctor"
    "|driver|economist|editor|electrician|engineer|farmer|firefighter|florist|freelancer|gardener|geologist|historian"
    "|intern|interpreter|journalist|judge|lawyer|lecturer|librarian|linguist|manager|mathematician|mechanic|midwife"
    "|musician|nurse|nanny|painter|paralegal|paramedic|pharmacist|photographer|physicist|physiotherapist|pilot|plumber"
    "|police officer|postdoc|potter|producer|professor|programmer|psychologist|receptionist|researcher|sailor|salesman"
    "|scientist|sculptor|secretary|social worker|soldier|student|surgeon|surveyor|tailor|teacher|technician|tester"
    "|therapist|translator|tutor|undergraduate|vet|veterinarian|waiter|waitress|welder|writer"
    "|[a-z]+(?:ologist|iatrist|atrician)"
)
GREETING = "(?:hi|hello|hey|good (?:morning|afternoon|evening|day))(?: there| all| everyone)?"
I_AM = "i(?:'?m| am)"
I_OR_AM = f"(?:{I_AM}|i)"
WE = f"(?:{I_OR_AM}|we(?:'?re| are)?)"
I_HAVE = "(?:i|we)(?:'?ve| have)?"
# "My name isn't Bob, it's Rob": what it is not is passed over.
IS = r"(?: is|'s| (?:isn'?t|is not) [^,.;!?\n]{1,60}[,;.]\s?(?:it's|it is))"
ARE = rf"(?: are|{IS})"
# "I need help", "I need you to ..." ask the assistant for something and plan nothing.
NEED = r"(?:real+y )?(?:need|have(?: got)?|must|gotta)(?! (?:some )?(?:help|advice|ideas|you|your|to (?:know|ask))\b)"
# Markers are read in any case; (?-i:) makes this one letter mean its case after all.
CAPITAL_LETTER = r"[\"']?(?-i:[^\W\d_a-z])"
CAPITAL = rf"(?=\s+{CAPITAL_LETTER})"
# "the head chef", "a senior software engineer"; not "a baker's dozen" or "a doctor-patient talk".
JOB = rf"(?:(?:an?|the (?:head|chief|lead)) (?:[\w-]+ ){{0,2}})?(?:{OCCUPATION})\b(?!'|-)"
ANSWERS = r"(?= keep (?:all )?your (?:answers|replies|responses)(?! (?:in|to|for|from)\b))"
ANSWER = rf"(?:(?= (?:answer|reply|respond)(?: to)? [\w-]+)|{ANSWERS})"
# How one works is no role: "I work as hard as I can".
MANNER = "fast|hard|usual|much|little|long|well|part|if|soon|expected|intended|quickly|an? team"
# "I'm allergic to Mondays."
FIGURATIVE_ALLERGEN = (
    "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mornings?|(?:hard )?work|meetings?|small talk|people|drama|nonsense"
    "|stupid\\w*|bullshit|bureaucra\\w+|paperwork|commitment|fun|losing|maths?|(?:bad )?code|stress|success"
)
# A word for a place, a capital without a number behind it, or a small letter that begins no phrase: people write
# "oslo", and "I moved to tears" is no town.
TOWN = (
    rf"(?= (?:the |an? )?(?:[\w-]+ ){{0,3}}(?:city|town|village|country|countryside|suburbs?|island|coast|farm)\b"
    rf"| (?:the )?{CAPITAL_LETTER}(?!\S* \d)"
    r"| (?=(?-i:[a-z]))(?!(?:the|tears|an?|my|your|our|his|her|their|this|that|another|it)\b"
    r"|\S+ (?:the|an?|my|your|our|this|that)\b))"
)
# What has an article and no capital is a home where it says what a region or a building is called by.
NO_FIGURATIVE_HOME = (
    r"(?! the (?=(?-i:[a-z]))"
    r"(?!(?:[\w-]+ ){0,3}(?:city|cent(?:re|er)|outskirts|capital|town|village|country|countryside|suburbs?|island|coast"
    r"|farm|mountains?|hills?|woods|forest|valley|desert|north|south|east|west|netherlands|philippines|bahamas|us|usa|uk"
    r"|states|house|flat|apartment|cottage|district|area)\b))"
)
DONE = "eat|drink|smoke|play|watch|read|listen to|use|ride|drive|collect|practi[cs]e"

# "I have lived in Oslo for years" says where; "I have lived in fear" does not go on so.
AWHILE = r"(?= [^.;!?\n]{1,80}\s(?:for|since)\b)"
# Passed over between the verb and the place, each within its clause.
COMPANY = r"(?: alone| with [^,.;!?\n]{1,40})?"
ORIGIN = r"(?: from [^,.;!?\n]{1,40})?"
OTHERS = r"(?:every(?:one|body)|(?:all )?(?:my )?(?:friends|family|colleagues|mates)|people)"
SEVERITY = "(?:severe|bad|mild|serious)"
# "a severe nut allergy" names it before the word; "an allergy to nuts" is the other marker's.
NAMED_ALLERGY = rf"(?= (?!{SEVERITY})[\w-]+ allergy\b(?! to))"
NO_FIGURATIVE_ALLERGEN = rf"(?! (?:{FIGURATIVE_ALLERGEN})\b)"
REMEMBER = "(?:remember|don'?t forget|keep in mind|(?:make|take) a note)"
# "My dog is a beagle", "my boss is Eva"; not "my dog is tired" or "my boss is a nightmare".
SOMETHING = rf"(?= an? (?!{FIGURE})|{CAPITAL})"
WHOSE = rf"(?:(?:{RELATIVE})'s )?"
WORDS = r"(?:[\w-]+ ){1,5}"
WORK = "(?:started )?(?:work|working)"
