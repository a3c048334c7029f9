/// A writer for a JSON object (RFC 8259) that keeps the order in which members are added.
struct JSONObject {
    private var text = JSONText()

    /// The object as UTF-8 JSON, without whitespace.
    var bytes: [UInt8] {
        (self.text.bytes.isEmpty ? [UInt8(ascii: "{")] : self.text.bytes) + [UInt8(ascii: "}")]
    }

    /// Adds a string member, unless the value is `nil`.
    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        self.begin(name)
        self.text.append(quoted: value)
    }

    /// Adds a number member, unless the value is `nil`.
    mutating func add(_ name: String, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        self.begin(name)
        self.text.append(String(value))
    }

    /// Adds a build, unless the value is `nil`: as a number if the build has one component,
    /// otherwise as a string.
    ///
    /// The JSON number 93.10 would lose its trailing zero.
    mutating func add(_ name: String, _ build: BuildNumber?) {
        guard let build else { return }
        self.begin(name)
        if build.isWhole {
            self.text.append(build.description)
        } else {
            self.text.append(quoted: build.description)
        }
    }

    /// Adds a member with the value `true`, unless `value` is false.
    mutating func add(_ name: String, ifTrue value: Bool) {
        guard value else { return }
        self.begin(name)
        self.text.append("true")
    }

    /// Adds a member whose value is already encoded as JSON.
    mutating func add(_ name: String, json: [UInt8]) {
        self.begin(name)
        self.text.append(json: json)
    }

    private mutating func begin(_ name: String) {
        self.text.append(self.text.bytes.isEmpty ? "{" : ",")
        self.text.append(quoted: name)
        self.text.append(":")
    }
}
