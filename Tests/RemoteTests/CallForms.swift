/// Different ways in which servers send the same thing.
enum CallForms {
  /// The same two calls in the many forms that servers use.
  static let twoCalls: [[String]] = [
    // In fragments, one call after the other, as OpenAI sends them.
    [
      #"{"index":0,"id":"a","function":{"name":"weather","arguments":""}}"#,
      #"{"index":0,"function":{"arguments":"{\"city\": "}}"#,
      #"{"index":0,"function":{"arguments":"\"Oslo\"}"}}"#,
      #"{"index":1,"id":"b","function":{"name":"weather","arguments":"{\"city\""}}"#,
      #"{"index":1,"function":{"arguments":": \"Rome\"}"}}"#,
    ],
    // In alternating fragments.
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
    // The same index for all, with different IDs.
    [
      #"{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\": \"Oslo\"}"}}"#,
      #"{"index":0,"id":"b","function":{"name":"weather","arguments":"{\"city\": \"Rome\"}"}}"#,
    ],
    // Indices without IDs.
    [
      #"{"index":0,"function":{"name":"weather","arguments":"{\"city\": \"Oslo\"}"}}"#,
      #"{"index":1,"function":{"name":"weather","arguments":"{\"city\": \"Rome\"}"}}"#,
    ],
    // IDs without indices, and the function name repeated in each fragment.
    [
      #"{"id":"a","function":{"name":"weather","arguments":"{\"city\": "}}"#,
      #"{"id":"a","function":{"name":"weather","arguments":"\"Oslo\"}"}}"#,
      #"{"id":"b","function":{"name":"weather","arguments":"{\"city\": \"Rome\"}"}}"#,
    ],
    // The same ID for both.
    [
      #"{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\": \"Oslo\"}"}}"#,
      #"{"index":1,"id":"a","function":{"name":"weather","arguments":"{\"city\": \"Rome\"}"}}"#,
    ],
    // Neither an index nor an ID.
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
    // The same index for all, and empty IDs.
    [
      #"{"index":0,"id":"","function":{"name":"weather","arguments":"{\"city\": \"Oslo\"}"}}"#,
      #"{"index":0,"id":"","function":{"name":"weather","arguments":"{\"city\": \"Rome\"}"}}"#,
    ],
    // Indices, and the function name repeated in each fragment, where the last is empty.
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
    // No index, and the same ID for both.
    [
      #"{"id":"a","function":{"name":"weather","arguments":"{\"city\": \"Oslo\"}"}}"#,
      #"{"id":"a","function":{"name":"weather","arguments":"{\"city\": \"Rome\"}"}}"#,
    ],
    // Another ID in each fragment.
    [
      #"{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\": "}}"#,
      #"{"index":0,"id":"b","function":{"arguments":"\"Oslo\"}"}}"#,
      #"{"index":1,"id":"c","function":{"name":"weather","arguments":"{\"city\": "}}"#,
      #"{"index":1,"id":"d","function":{"name":"","arguments":"\"Rome\"}"}}"#,
    ],
    // Numbers as IDs, and arguments that are not strings.
    [
      #"{"id":1,"function":{"name":"weather","arguments":{"city": "Oslo"}}}"#,
      #"{"id":2,"function":{"name":"weather","arguments":{"city": "Rome"}}}"#,
    ],
  ]
}
