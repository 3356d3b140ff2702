/// The forms in which servers send what is the same.
enum CallForms {
  /// Servers send calls in many ways; all of these are the same two calls.
  static let twoCalls: [[String]] = [
    // In fragments, one after the other, as OpenAI does.
    [
      #"{"index":0,"id":"a","function":{"name":"weather","arguments":""}}"#,
      #"{"index":0,"function":{"arguments":"{\"city\": "}}"#,
      #"{"index":0,"function":{"arguments":"\"Oslo\"}"}}"#,
      #"{"index":1,"id":"b","function":{"name":"weather","arguments":"{\"city\""}}"#,
      #"{"index":1,"function":{"arguments":": \"Rome\"}"}}"#,
    ],
    // Fragments that alternate.
    [
      #"{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\""}}"#,
      #"{"index":1,"id":"b","function":{"name":"weather","arguments":"{\"city\": "}}"#,
      #"{"index":0,"function":{"arguments":": \"Oslo\"}"}}"#,
      #"{"index":1,"function":{"arguments":"\"Rome\"}"}}"#,
    ],
    // Both in one event.
    [
      #"{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\": \"Oslo\"}"}},"#
        + #"{"index":1,"id":"b","function":{"name":"weather","arguments":"{\"city\": \"Rome\"}"}}"#
    ],
    // All with one number, and names that differ.
    [
      #"{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\": \"Oslo\"}"}}"#,
      #"{"index":0,"id":"b","function":{"name":"weather","arguments":"{\"city\": \"Rome\"}"}}"#,
    ],
    // Numbers, and no names.
    [
      #"{"index":0,"function":{"name":"weather","arguments":"{\"city\": \"Oslo\"}"}}"#,
      #"{"index":1,"function":{"name":"weather","arguments":"{\"city\": \"Rome\"}"}}"#,
    ],
    // Names, and no numbers; the name of the function again with each fragment.
    [
      #"{"id":"a","function":{"name":"weather","arguments":"{\"city\": "}}"#,
      #"{"id":"a","function":{"name":"weather","arguments":"\"Oslo\"}"}}"#,
      #"{"id":"b","function":{"name":"weather","arguments":"{\"city\": \"Rome\"}"}}"#,
    ],
    // One name for both.
    [
      #"{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\": \"Oslo\"}"}}"#,
      #"{"index":1,"id":"a","function":{"name":"weather","arguments":"{\"city\": \"Rome\"}"}}"#,
    ],
    // Neither a number nor an id.
    [
      #"{"function":{"name":"weather","arguments":"{\"city\": \"Oslo\"}"}}"#,
      #"{"function":{"name":"weather","arguments":"{\"city\": \"Rome\"}"}}"#,
    ],
    // Neither, and in fragments, the first of which has only the name.
    [
      #"{"function":{"name":"weather","arguments":""}}"#,
      #"{"function":{"arguments":"{\"city\": "}},{"function":{"arguments":"\"Oslo\"}"}}"#,
      #"{"function":{"name":"weather","arguments":""}}"#,
      #"{"function":{"arguments":"{\"city\": \"Rome\"}"}}"#,
    ],
    // All with one number, and ids that say nothing.
    [
      #"{"index":0,"id":"","function":{"name":"weather","arguments":"{\"city\": \"Oslo\"}"}}"#,
      #"{"index":0,"id":"","function":{"name":"weather","arguments":"{\"city\": \"Rome\"}"}}"#,
    ],
    // Numbers, and the name of the function again with each fragment, the last of which is empty.
    [
      #"{"index":0,"function":{"name":"weather","arguments":""}}"#,
      #"{"index":0,"function":{"name":"weather","arguments":"{\"city\": "}}"#,
      #"{"index":0,"function":{"name":"weather","arguments":"\"Oslo\"}"}}"#,
      #"{"index":0,"function":{"name":"weather","arguments":""}}"#,
      #"{"index":1,"function":{"name":"weather","arguments":"{\"city\": \"Rome\"}"}}"#,
      #"{"index":1,"function":{"name":"weather"}}"#,
    ],
    // Arguments before the name.
    [
      #"{"index":0,"id":"a","function":{"arguments":"{\"city\": "}}"#,
      #"{"index":0,"function":{"name":"weather","arguments":"\"Oslo\"}"}}"#,
      #"{"index":1,"id":"b","function":{"name":"weather","arguments":"{\"city\": \"Rome\"}"}}"#,
    ],
    // Neither a number nor more than one id.
    [
      #"{"id":"a","function":{"name":"weather","arguments":"{\"city\": \"Oslo\"}"}}"#,
      #"{"id":"a","function":{"name":"weather","arguments":"{\"city\": \"Rome\"}"}}"#,
    ],
    // Another id with each fragment.
    [
      #"{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\": "}}"#,
      #"{"index":0,"id":"b","function":{"arguments":"\"Oslo\"}"}}"#,
      #"{"index":1,"id":"c","function":{"name":"weather","arguments":"{\"city\": "}}"#,
      #"{"index":1,"id":"d","function":{"name":"","arguments":"\"Rome\"}"}}"#,
    ],
    // Ids that are numbers, and arguments that are no text.
    [
      #"{"id":1,"function":{"name":"weather","arguments":{"city": "Oslo"}}}"#,
      #"{"id":2,"function":{"name":"weather","arguments":{"city": "Rome"}}}"#,
    ],
  ]
}
