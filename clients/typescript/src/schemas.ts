// Written by `make typescript ARGS=--generate` from what the server's /openapi.json says of tools.

export const SCHEMAS: Record<"recall" | "remember" | "forget", { description: string; inputSchema: object }> = {
  "recall": {
    "description": "Call before you decide or answer from memory: finds what was said, remembered, learned, by words and meaning.",
    "inputSchema": {
      "additionalProperties": false,
      "properties": {
        "query": {
          "type": "string",
          "description": "What to look for; without it the newest come first."
        },
        "search_mode": {
          "default": "hybrid",
          "description": "By words, by meaning, or both.",
          "enum": [
            "hybrid",
            "text",
            "semantic"
          ],
          "type": "string"
        },
        "type": {
          "default": "all",
          "description": "Only what is of this type.",
          "enum": [
            "all",
            "turn",
            "fact",
            "assumption",
            "hypothesis",
            "discovery",
            "risk",
            "unknown",
            "decision",
            "architectural_decision",
            "implementation_decision",
            "alternative",
            "trade_off",
            "convention",
            "coding_standard",
            "architectural_convention",
            "agent_rule",
            "process_convention",
            "error",
            "bug",
            "failure",
            "incident",
            "root_cause",
            "lesson_learned"
          ],
          "type": "string"
        },
        "min_confidence": {
          "default": 0.5,
          "description": "Only memories at least this sure.",
          "maximum": 1,
          "minimum": 0,
          "type": "number"
        },
        "limit": {
          "default": 10,
          "description": "The most memories to return.",
          "maximum": 50,
          "minimum": 1,
          "type": "integer"
        },
        "include_superseded": {
          "default": false,
          "description": "Also what something newer replaced.",
          "type": "boolean"
        },
        "as_of": {
          "format": "date-time",
          "type": "string",
          "description": "Return what was believed at this time."
        },
        "cursor": {
          "default": 0,
          "description": "Go on here: the cursor of the answer before.",
          "maximum": 1000,
          "minimum": 0,
          "type": "integer"
        },
        "explain": {
          "default": false,
          "description": "Say why each was found.",
          "type": "boolean"
        },
        "origin": {
          "default": false,
          "description": "Say apart who said each, and where.",
          "type": "boolean"
        },
        "recall_scope": {
          "enum": [
            "session",
            "user",
            "project"
          ],
          "type": "string",
          "description": "Whose past; the user's unless told."
        },
        "min_trust": {
          "default": "outside",
          "description": "Only what goes by this word or a more trusted one.",
          "enum": [
            "outside",
            "import",
            "tool",
            "agent",
            "user",
            "operator"
          ],
          "type": "string"
        }
      },
      "type": "object"
    }
  },
  "remember": {
    "description": "Call when something is settled that is worth knowing later: a decision, convention, root cause, lesson, risk.\n\nReturns its memory_id. Saying the same again in one scope keeps the first; forget it to change its other fields.",
    "inputSchema": {
      "additionalProperties": false,
      "properties": {
        "content": {
          "description": "One thing, in words that make sense on their own; ≤ 2000 bytes.",
          "type": "string"
        },
        "type": {
          "default": "fact",
          "description": "What kind of thing it is.",
          "enum": [
            "fact",
            "assumption",
            "hypothesis",
            "discovery",
            "risk",
            "unknown",
            "decision",
            "architectural_decision",
            "implementation_decision",
            "alternative",
            "trade_off",
            "convention",
            "coding_standard",
            "architectural_convention",
            "agent_rule",
            "process_convention",
            "error",
            "bug",
            "failure",
            "incident",
            "root_cause",
            "lesson_learned"
          ],
          "type": "string"
        },
        "confidence": {
          "anyOf": [
            {
              "type": "number"
            },
            {
              "enum": [
                "high",
                "medium",
                "low"
              ],
              "type": "string"
            }
          ],
          "default": 0.8,
          "description": "How sure you are, from 0 to 1."
        },
        "rationale": {
          "type": "string",
          "description": "Why it holds."
        },
        "scope": {
          "enum": [
            "session",
            "user",
            "project",
            "user_everywhere"
          ],
          "type": "string",
          "description": "Who recalls it: unless told the user, in this project; project is everyone in it."
        }
      },
      "type": "object",
      "required": [
        "content"
      ]
    }
  },
  "forget": {
    "description": "Call when a memory or fact turned out wrong or unwanted: no recall returns it then.\n\nIf a newer one takes its place, remember that first.",
    "inputSchema": {
      "additionalProperties": false,
      "properties": {
        "memory_id": {
          "description": "The id that remember or recall gave.",
          "maxLength": 128,
          "minLength": 1,
          "type": "string"
        },
        "reason": {
          "maxLength": 500,
          "type": "string",
          "description": "Why; it is kept."
        },
        "replacement_id": {
          "maxLength": 128,
          "minLength": 1,
          "type": "string",
          "description": "What holds instead."
        },
        "undo": {
          "default": false,
          "description": "Take it back.",
          "type": "boolean"
        }
      },
      "type": "object",
      "required": [
        "memory_id"
      ]
    }
  }
};
