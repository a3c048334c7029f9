/// The notice as an HTML page for a browser (HTML Living Standard).
struct NoticePage {
    /// The languages that are written from right to left, unless their tag has a script subtag.
    private static let rightToLeft: Set<String> = [
        "ar", "arc", "ckb", "dv", "fa", "he", "iw", "ji", "ks", "ku", "nqo", "ps", "sd", "syr",
        "ug", "ur", "yi",
    ]
    private static let rightToLeftScripts: Set<String> = [
        "Adlm", "Arab", "Hebr", "Nkoo", "Rohg", "Syrc", "Thaa",
    ]

    /// The content security policy, which prevents the page from loading or running anything.
    static let securityPolicy = "default-src 'none'; style-src 'unsafe-inline'"

    let words: FilledNotice
    let storeURL: String?

    private var isRightToLeft: Bool {
        let language = self.words.language
        if let script = language.script { return Self.rightToLeftScripts.contains(script) }
        return Self.rightToLeft.contains(String(language.description.prefix { $0 != "-" }))
    }

    var bytes: [UInt8] {
        let title = Self.escaped(self.words.title)
        let language = Self.escaped(self.words.language.description)
        let direction = self.isRightToLeft ? " dir=\"rtl\"" : ""
        var page = """
            <!DOCTYPE html>
            <html lang="\(language)"\(direction)>
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            <style>
            :root { color-scheme: light dark; }
            body { font: 1.125rem/1.5 system-ui, sans-serif; margin: 15vh auto; max-width: 32rem; padding: 0 1.5rem; overflow-wrap: anywhere; }
            h1 { font-size: 1.5rem; line-height: 1.25; text-wrap: balance; }
            p { white-space: pre-line; }
            a { display: inline-block; padding: 0.5rem 1.25rem; border: 1px solid; border-radius: 0.5rem; color: inherit; text-decoration: none; }
            </style>
            </head>
            <body>
            <h1>\(title)</h1>
            <p>\(Self.escaped(self.words.message))</p>

            """
        if let storeURL, !storeURL.isEmpty {
            let words = Self.escaped(self.words.button ?? storeURL)
            page += "<p><a href=\"\(Self.escaped(storeURL))\">\(words)</a></p>\n"
        }
        page += "</body>\n</html>\n"
        return Array(page.utf8)
    }

    /// Returns the string, escaped for an element or a quoted attribute value.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
