import CRelease

/// Which build of the gate this is.
enum Release {
    /// By Semantic Versioning; the only place in the project that says it.
    static let version = "0.1.0"

    /// The commit it was built from, as `git rev-parse --short=12` names it, with `-dirty` behind it
    /// if files were changed; `unknown` unless `make` built it.
    static var commit: String { unsafe String(cString: gate_commit()) }

    /// The build identifier that the linker left, in hexadecimal; debug symbols are found by it.
    static var build: String? {
        var count = 0
        guard let bytes = unsafe gate_build_id(&count), count > 0 else { return nil }
        let digits = Array("0123456789abcdef")
        let text = unsafe UnsafeBufferPointer(start: bytes, count: count).flatMap { byte in
            [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(text)
    }

    /// The lines that `versiongate version` and `--version` print.
    static var description: String {
        var lines = ["versiongate \(self.version)", "commit \(self.commit)"]
        if let build = self.build { lines.append("build \(build)") }
        return lines.joined(separator: "\n")
    }
}
