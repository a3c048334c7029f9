import CRelease

/// The version, commit and build of the gate.
enum Release {
    /// The semantic version, defined only here.
    static let version = "0.1.0"

    /// The commit that the gate was built from, as in `git rev-parse --short=12`; `-dirty` is
    /// appended if files were changed.
    ///
    /// The value is `unknown` unless the gate was built with `make`.
    static var commit: String { unsafe String(cString: gate_commit()) }

    /// The linker's build ID in hexadecimal, used to find debug symbols.
    static var build: String? {
        var count = 0
        guard let bytes = unsafe gate_build_id(&count), count > 0 else { return nil }
        return unsafe UnsafeBufferPointer(start: bytes, count: count)
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// The lines that `versiongate version` and `--version` print.
    static var description: String {
        var lines = ["versiongate \(self.version)", "commit \(self.commit)"]
        if let build = self.build { lines.append("build \(build)") }
        return lines.joined(separator: "\n")
    }
}
