internal import CAdminFiles

/// A file of the admin page.
enum PageFile: String, Sendable, CaseIterable {
    case index
    case style = "page.css"
    case icon = "icon.svg"
    case main = "main.js"
    case ask = "ask.js"
    case elements = "elements.js"
    case traffic = "traffic.js"
    case whatIf = "what-if.js"
    case rules = "rules.js"
    case undo = "undo.js"

    var path: String { self == .index ? "/" : "/page/\(self.rawValue)" }

    private var type: String {
        switch self {
        case .index: "text/html; charset=utf-8"
        case .style: "text/css; charset=utf-8"
        case .icon: "image/svg+xml"
        case .main, .ask, .elements, .traffic, .whatIf, .rules, .undo:
            "text/javascript; charset=utf-8"
        }
    }

    private var text: String {
        switch self {
        case .index: unsafe String(cString: gate_page_index())
        case .style: unsafe String(cString: gate_page_style())
        case .icon: unsafe String(cString: gate_page_icon())
        case .main: unsafe String(cString: gate_page_main())
        case .ask: unsafe String(cString: gate_page_ask())
        case .elements: unsafe String(cString: gate_page_elements())
        case .traffic: unsafe String(cString: gate_page_traffic())
        case .whatIf: unsafe String(cString: gate_page_what_if())
        case .rules: unsafe String(cString: gate_page_rules())
        case .undo: unsafe String(cString: gate_page_undo())
        }
    }

    /// Only files of the page may be loaded, and other pages may not embed it in a frame.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
        "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    var answer: AdminAnswer {
        var answer = AdminAnswer(file: self.text, type: self.type)
        answer.fields = [
            ("Content-Security-Policy", Self.policy), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
        return answer
    }
}
