"""Shapes of instructions to a model that are looked for in English alone, and the marks of prompts.

Each has texts of which one stands in whatever the pattern matches.
"""

from __future__ import annotations

from typing import Final

WITHIN: Final = r"[^.!?\u3002\n]"
"""What stands between the words of one sentence."""
_MODEL: Final = (
    r"(?:ai|artificial intelligence|llm|gpt|(?:large )?language model|chat ?bot)s?"
    r"(?: (?:coding |research |shopping )?(?:agent|assistant|model|system|crawler|bot|reader|scraper|tool|reviewer)s?)?"
)
_MODELS: Final = ("ai", "llm", "gpt", "language model", "artificial intelligence", "chatbot", "chat bot")
_BEGINS: Final = r"(?:^|[\n.!?>:;\"*] ?|<!-- ?)"
_READS: Final = r"(?:read|process|pars|summari[sz]|visit|evaluat|crawl|index|view|screen|scrap)ing"
_NOT: Final = r"(?:do not|don't|dont|never|without|avoid|must not|should not|refrain from) (?:ever )?"
_THIS: Final = (
    r"(?:this|these|the above|the) (?:paragraph|message|note|notice|instructions?|comment|text|page|request)s?"
)
_RULES: Final = r"(?:rules?|instructions?|guidelines?|orders?|directives?|prompts?)"
_SENDS: Final = r"(?:send|forward|post|upload|transmit|leak|e-?mail|submit|paste|append)s?"
_WHERE: Final = r"(?:https?:|www\.|[\w.+-]+@)"

# What is told to a model as such.
_ADDRESSED: Final = (
    (_MODELS, rf"\bif you(?: are|'re) (?:an? |the )?{_MODEL}\b"),
    (_MODELS, rf"\b(?:dear|hey|hello|hi|attention|note to|memo to),?(?: all| any| the)? {_MODEL} ?[:,!]"),
    (_MODELS, rf"\b(?:attention,?|note to) (?:all |any |the )?{_MODEL}\b"),
    (_MODELS, rf"{_BEGINS}(?:all |any |dear )?{_MODEL} {_READS} (?:this|these|the|our|my|it)\b"),
    (
        _MODELS,
        (
            rf"\b(?:the|any|every|to|for) {_MODEL},? (?:(?:that|which|who) (?:is|are) |currently |now )?{_READS}"
            r" (?:this|these|the following|it)\b"
        ),
    ),
    (_MODELS, rf"\b(?:instructions?|notice|note|message)(?: to| for)? (?:all |any |the )?{_MODEL} ?[:,!]"),
    (_MODELS, rf"\bas an? {_MODEL},? you (?:must|are (?:required|obliged|expected|instructed)|should|have to|need to)"),
    (
        (*_MODELS, "assistant", "agent"),
        (
            rf"{_BEGINS}(?:{_MODEL}|assistant|agent)(?:, (?:please|once|when|if|before|after|do\b|don't|you|ignore"
            rf"|forget"
            r"|remember|never|always|from now)|(?<!agent): (?:before you|ignore|forget|disregard|you must|from now))"
        ),
    ),
    (
        ("assistant",),
        r"\b(?:dear|hey|hello|hi) assistant\b(?! professor| manager| director| coach)(?: ?[:,!]| (?:please|pls|you))",
    ),
)
# "Everything you were told", "your guidelines have been suspended", "as your new rules".
_LIFTED: Final = (
    (
        ("you", "ur "),
        (
            r"(?<!not )(?<!n't )\b(?:ignore|disregard|forget|discard|set aside) (?:everything|anything"
            r"|all(?: of)?(?: that)?"
            r"|what(?:ever)?)(?: that)? (?:you|ur)(?:'ve| have| were| had| are|'re)?(?: been)?(?: previously)?"
            r" ?(?:told|given|taught|instructed)\b(?! about)"
        ),
    ),
    (
        ("above", "before", "so far", "prior to", "until now", "up to"),
        (
            rf"{_BEGINS}(?:please |now |and )?(?:ignore|disregard|forget) (?:everything|all(?: of)?(?: the)?"
            rf"|anything|the)"
            r"(?: (?:text|content|messages?|context|conversation|words))? (?:above|before this|so far|prior to this"
            r"|until now|up to (?:now|this point)|that came before)"
        ),
    ),
    (
        ("gave", "give", " set", "wrote"),
        (
            rf"\b(?:ignore|disregard|forget|discard|set aside|stop (?:following|obeying)|abandon"
            rf"|replace)\b{WITHIN}{{0,16}}"
            rf"\b{_RULES} (?:that )?(?:your|the) (?:operators?|developers?|creators?|makers?|owners?|company)"
            r" (?:gave|give|set|has given|have given|wrote)"
        ),
    ),
    (
        ("your ",),
        (
            r"\byour (?:(?:safety|content|usual|previous|own|original) )?(?:guidelines|restrictions|safeguards"
            r"|instructions"
            r"|rules|constraints|programming|limitations) (?:have|has|are|were|is|had)(?: all)?(?: now)?(?: been)?"
            r"(?: now)? (?:suspended|lifted|changed|disabled|removed|replaced|updated|revoked|void|overridden"
            r"|cancell?ed)"
        ),
    ),
    (("as your ", "as its "), rf"\bas (?:your|its) (?:new |updated )+(?:operating |system )?{_RULES}\b"),
    (
        ("the text ", "the message", "the conversation ", "the prompt ", "the instructions "),
        (
            r"\bthe (?:text|messages?|conversation|prompt|instructions) (?:above|before|so far|until now)"
            r" (?:was|were|is|are) (?:just |only )?(?:a )?(?:test|fake|void|cancell?ed)\b"
        ),
    ),
    (("from your ",), rf"\b(?:{_RULES}|message) from your (?:ai )?(?:developers|creators?|makers?|programmers?)\b"),
)
# "Your new task is", "you are now unrestricted", "in all future conversations, say".
_SET: Final = (
    (
        ("your new ", "your real ", "your true ", "your actual "),
        r"\byour (?:new|real|true|actual) (?:system )?(?:instructions?|task|objective|mission) (?:is|are)\b",
    ),
    (("instruction",), r"\bnew (?:system |developer )?instructions? ?:"),
    (
        (" now ",),
        (
            rf"\byou(?: are|'re| will be) now (?:dan\b|jailbroken|no longer bound|{WITHIN}{{0,40}}\b(?:unrestricted"
            r"|without (?:any )?restrictions|(?:maintenance|developer|admin|god|debug|dan) mode))"
        ),
    ),
    (
        ("unrestricted", "unfiltered", "uncensored", "jailbroken"),
        (
            r"\b(?:act|behave|resume|continue|respond|answer|pretend)(?:ing)? (?:now )?(?:as|like|to be) (?:an? |the )?"
            r"(?:unrestricted|unfiltered|uncensored|jailbroken)"
        ),
    ),
    ((" now ",), r"\byou(?: will| must)? now (?:only )?(?:answer|obey|listen|report)(?: only)? to\b"),
    (
        ("future ", "subsequent "),
        (
            r"\bin (?:all |every |each |any )?(?:future|subsequent) (?:sessions?|conversations?|chats?|replies|answers)"
            r"(?: with (?:the|this) user)?,? (?:always|never|refer|say|recommend|mention|answer|reply|respond|act|treat"
            r"|you (?:must|should|will))\b|"
            rf"\b(?:always|never)\b{WITHIN}{{0,24}} in (?:all |every )?future (?:sessions|conversations|chats)\b"
        ),
    ),
    (
        ("treat ",),
        r"\btreat (?:the|this|every|each) user as (?:an? |the )?(?:\w+ )?(?:admin\w*|root|developer|superuser)\b",
    ),
    (
        (" user ", " user's "),
        (
            rf"\b(?:if|when|whenever) (?:the|this|your) user (?:ever )?asks?(?: you)? (?:about|for|whether|if|how|what)"
            rf"{WITHIN}{{0,60}}[,:] ?(?:always |then |you (?:must|should) )?(?:tell|recommend|reply|answer|say"
            rf"|claim)\b|"
            r"\b(?:answer|reply to|respond to) the user's (?:next|every|each|following|first)\b"
        ),
    ),
    (("you must ",), r"\byou must (?:always |only )?(?:recommend|praise|promote|endorse)\b"),
)
_KNOWN: Final = (
    r"(?:wants|prefers|likes|loves|hates|lives|works|trusts|said|asked|agreed|approved|consented|allows"
    r"|has (?:asked|agreed|approved|authori[sz]ed|granted|allowed|consented)|is (?:a|an|the|named|called)\b)"
)
# What the user is not to hear of, what is to be kept of them, and what is to be given away.
_OF_USERS: Final = (
    (
        ("user",),
        rf"\b{_NOT}(?:tell|inform|alert|notify)(?:ing)? the user (?:about|that|of|any|what|you)\b",
    ),
    (
        (" user",),
        (
            rf"\b(?:remember|memori[sz]e|store|save|record)\b{WITHIN}{{0,24}} that (?:the|this|your) (?:current )?user"
            rf"(?: {_KNOWN}|'s (?:preferred|favou?rite|real|new|bank|account|password) )"
        ),
    ),
    (
        ("tell", "mention", "reveal", "disclos", "acknowledg", "refer", "admit", "say", "user"),
        (
            rf"\b{_NOT}(?:(?:mention|reveal|acknowledge|refer to|let the user know (?:about|of))(?:ing)? {_THIS}\b"
            rf"|(?:mention|reveal|disclose|acknowledge|say|admit|tell \w+)(?:ing)? that (?:this (?:page|message"
            rf"|text|note"
            r"|document|site) (?:told|asked|said)|you(?: were|'ve been| have been) (?:told|asked|instructed))"
            r"|(?:mention|reveal)(?:ing)? (?:it|this|them|that) (?:in|to) (?:your|the user))\b"
        ),
    ),
    (
        ("keep this ", "keep it ", "keep that "),
        r"\buser\b[^\n]{0,160}\bkeep (?:this|it|that) (?:to yourself|secret|hidden)\b",
    ),
    (
        ("memory", "memories"),
        (
            r"\b(?:update|(?:save|add|store|write|commit|record|put)(?: (?:this|the following|that|it|these))?"
            r" (?:in(?:to)?|to))"
            r" your (?:own )?(?:(?:long-?term|persistent|permanent) )?memor(?:y|ies)\b|\b(?:add|save|write|commit)"
            r" (?:this|the following|that) (?:in)?to (?:the )?(?:long-term |persistent )?memory\b"
        ),
    ),
    (
        ("you are ", "you're "),
        (
            rf"\b(?:remember|memori[sz]e|store|save|record)\b{WITHIN}{{0,32}}\b(?:about|that) the (?:person|user|human"
            r"|customer) you(?: are|'re) (?:helping|assisting|talking|speaking|chatting)"
        ),
    ),
    (
        ("your ",),
        (
            r"\b(?:reveal|print|output|repeat|leak|show me|tell me|send(?: me)?) your (?:system prompt|hidden"
            r" (?:instructions"
            r"|prompt)|(?:initial|original) (?:prompt|instructions))"
        ),
    ),
    (
        ("conversation", "chat", "the user's"),
        (
            rf"\b{_SENDS}\b{WITHIN}{{0,48}}\b(?:(?:conversation|chat)(?: history| log| transcript)?|the user's \w+)\b"
            rf"{WITHIN}{{0,40}}\b(?:to|at) {_WHERE}|https?://\S+ {WITHIN}{{0,32}}\bthe user's (?:name|e-?mail|data"
            rf"|address)"
        ),
    ),
    (
        ("assistant", "agent", "chatbot"),
        (
            rf"\bthe (?:ai )?(?:assistant|agent|chatbot) (?:must |should |will |shall |always "
            rf"|now )?{_SENDS}\b{WITHIN}{{0,60}}"
            rf"\bto {_WHERE}"
        ),
    ),
)
# Marks by which a prompt parts who speaks, with words of a prompt behind them.
_MARK: Final = (
    r"<\|(?:im_start|start_header_id)\|>|<<sys>>|\[inst\]|</?(?:system|developer)(?:[ _-]\w+)?>"
    r"|\[{1,2}(?:system|developer|assistant|admin)(?: \w+){0,2}\]{1,2}"
    r"|(?:^|\n)[#* ]*(?:system|developer|admin) (?:prompt|message|override|note|notice|update)[* ]*:"
    r"|#{2,} ?(?:system|developer) ?:"
)
MARKS: Final = (
    (
        (
            "<|",
            "<<sys>>",
            "[inst]",
            "<system",
            "<developer",
            "/system",
            "[system",
            "[developer",
            "[assistant",
            "[admin",
            "system",
            "developer",
            "admin",
        ),
        (
            rf"(?:{_MARK})[^\n]{{0,80}}?\b(?:you (?:are|must|should|will)|ignore|disregard|always|never|from now on"
            r"|new (?:instructions?|policy)|without (?:asking|confirm\w+)|resume as|proceed|comply|execute"
            r"|(?:context|conversation) (?:has been|was|is) (?:cleared|reset))\b"
        ),
    ),
    (
        ("begin ", "start of ", "end of "),
        r"\b(?:begin|start of|end of) (?:admin|system|developer)\w* (?:override|instructions?|prompt|message)\b",
    ),
)
SHAPES: Final = (*_ADDRESSED, *_LIFTED, *_SET, *_OF_USERS)
