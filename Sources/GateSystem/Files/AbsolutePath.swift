private import Glibc

/// Makes paths comparable.
package enum AbsolutePath {
    /// Returns an absolute path without `.`, `..` and repeated slashes.
    ///
    /// Symbolic links are kept, so that a link to the current release has the same path before and after a switch.
    package static func of(_ path: String) -> String {
        let start = path.hasPrefix("/") ? "" : self.workingDirectory
        var parts = start.split(separator: "/")
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    private static var workingDirectory: String {
        guard let path = unsafe getcwd(nil, 0) else { return "" }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}
