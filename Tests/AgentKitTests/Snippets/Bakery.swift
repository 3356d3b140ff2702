import AgentKit

// The parts of the app in the examples about composing sessions.

struct BakeryInstructions: DynamicInstructions {
  var isBaking = true
  var isSelling = false

  var body: some DynamicInstructions {
    Instructions {
      "You help in a bakery."
    }
    Plain(name: "list_breads")
    Plain(name: "add_bread")
    if isBaking {
      DoughInstructions()
    }
    if isSelling {
      PriceInstructions()
    }
  }
}

struct DoughInstructions: DynamicInstructions {
  var body: some DynamicInstructions {
    Instructions("You know doughs.")
    Plain(name: "knead")
  }
}

struct PriceInstructions: DynamicInstructions {
  var body: some DynamicInstructions {
    Instructions("You know prices.")
    Plain(name: "price")
  }
}

struct BakeryProfile: LanguageModelSession.DynamicProfile {
  var farModel: ScriptedLanguageModel
  var nearModel: ScriptedLanguageModel
  var isBaking = true
  var isSelling = false

  var body: some LanguageModelSession.DynamicProfile {
    if isBaking {
      Profile {
        DoughInstructions()
      }
      .model(nearModel)
    } else if isSelling {
      Profile {
        PriceInstructions()
      }
      .model(farModel)
      .temperature(0.2)
      .reasoningLevel(.light)
    } else {
      Profile {
        BakeryInstructions(isBaking: false)
      }
      .model(nearModel)
      .temperature(0.8)
    }
  }
}

enum SignMode { case funny, plain }

struct SignProfile: LanguageModelSession.DynamicProfile {
  var mode: SignMode
  var model: ScriptedLanguageModel

  var body: some LanguageModelSession.DynamicProfile {
    SignContent(mode: mode)
      .temperature(0.5)
      .model(model)
  }
}

struct SignContent: LanguageModelSession.DynamicProfile {
  var mode: SignMode = .funny

  var body: some LanguageModelSession.DynamicProfile {
    switch mode {
    case .funny:
      Profile { Instructions("You write funny signs.") }
        .temperature(1.0)
    case .plain:
      Profile { Instructions("You write plain signs.") }
    }
  }
}
