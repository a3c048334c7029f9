internal import CAdminFiles

/// A file of the admin page.
enum PageFile: String, Sendable, CaseIterable {
    case index
    case style = "page.css"
    case chartStyle = "charts.css"
    case icon = "icon.svg"
    case main = "main.js"
    case ask = "ask.js"
    case elements = "elements.js"
    case words = "words.js"
    case format = "format.js"
    case scales = "scales.js"
    case versions = "versions.js"
    case chart = "chart.js"
    case overview = "overview.js"
    case traffic = "traffic.js"
    case decisions = "decisions.js"
    case adoption = "adoption.js"
    case whatIf = "what-if.js"
    case rules = "rules.js"
    case health = "health.js"
    case changes = "changes.js"
    case undo = "undo.js"
    case tour = "tour.js"
    case english = "words/en.js"
    case japanese = "words/ja.js"
    case korean = "words/ko.js"

    var path: String { self == .index ? "/" : "/page/\(self.rawValue)" }

    private var type: String {
        switch self {
        case .index: "text/html; charset=utf-8"
        case .style, .chartStyle: "text/css; charset=utf-8"
        case .icon: "image/svg+xml"
        default: "text/javascript; charset=utf-8"
        }
    }

    private var text: String {
        switch self {
        case .index: unsafe String(cString: gate_page_index())
        case .style: unsafe String(cString: gate_page_style())
        case .chartStyle: unsafe String(cString: gate_page_chart_style())
        case .icon: unsafe String(cString: gate_page_icon())
        case .main: unsafe String(cString: gate_page_main())
        case .ask: unsafe String(cString: gate_page_ask())
        case .elements: unsafe String(cString: gate_page_elements())
        case .words: unsafe String(cString: gate_page_words())
        case .format: unsafe String(cString: gate_page_format())
        case .scales: unsafe String(cString: gate_page_scales())
        case .versions: unsafe String(cString: gate_page_versions())
        case .chart: unsafe String(cString: gate_page_chart())
        case .overview: unsafe String(cString: gate_page_overview())
        case .traffic: unsafe String(cString: gate_page_traffic())
        case .decisions: unsafe String(cString: gate_page_decisions())
        case .adoption: unsafe String(cString: gate_page_adoption())
        case .whatIf: unsafe String(cString: gate_page_what_if())
        case .rules: unsafe String(cString: gate_page_rules())
        case .health: unsafe String(cString: gate_page_health())
        case .changes: unsafe String(cString: gate_page_changes())
        case .undo: unsafe String(cString: gate_page_undo())
        case .tour: unsafe String(cString: gate_page_tour())
        case .english: unsafe String(cString: gate_page_english())
        case .japanese: unsafe String(cString: gate_page_japanese())
        case .korean: unsafe String(cString: gate_page_korean())
        }
    }

    /// The content security policy: the page can load only its own files, and other pages cannot embed it in a frame.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
        "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    var answer: AdminAnswer {
        AdminAnswer(text: self.text, type: self.type)
            .with("Content-Security-Policy", Self.policy)
            .with("Referrer-Policy", "no-referrer")
            .with("Cross-Origin-Opener-Policy", "same-origin")
            .with("Cross-Origin-Resource-Policy", "same-origin")
    }
}
