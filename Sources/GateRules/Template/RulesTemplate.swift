internal import GatePolicy

/// A rules file to start with: one app on iOS and Android, with comments.
///
/// Missing values are replaced by placeholders, which are valid and marked as placeholders.
package struct RulesTemplate: Sendable {
    private let appID: String?
    private let iosURL: String?
    private let androidURL: String?
    private let language: String
    private let schema: String

    /// Creates a template with the known properties of the app.
    ///
    /// - Parameters:
    ///   - appID: The package name, which determines the Google Play URL.
    ///   - iosURL: The App Store URL.
    ///   - androidURL: The store URL for Android.
    ///   - language: The language of the texts, English by default.
    ///   - schema: The path or URL of the JSON Schema for editors.
    /// - Throws: An error if a value is not valid in a rules file.
    package init(
        appID: String? = nil,
        iosURL: String? = nil,
        androidURL: String? = nil,
        language: String? = nil,
        schema: String = "./rules.schema.json"
    ) throws(RulesTemplateError) {
        if let appID, appID.wholeMatch(of: /[A-Za-z0-9._\-]{1,128}/) == nil {
            throw .appID(appID)
        }
        for url in [iosURL, androidURL].compactMap(\.self) { try Self.check(storeURL: url) }
        let tag = language.map { LanguageTag($0) } ?? .english
        guard let tag else { throw .language(language ?? "") }
        self.appID = appID
        self.iosURL = iosURL
        self.androidURL = androidURL
        self.language = tag.description
        self.schema = schema
    }

    private static func check(storeURL url: String) throws(RulesTemplateError) {
        do throws(StoreLink.Failure) {
            _ = try StoreLink(parsing: url)
        } catch {
            throw .storeURL(url, reason: "\(error)")
        }
        guard !url.lowercased().hasPrefix("http:") else {
            throw .storeURL(url, reason: "it must use HTTPS or open a store app")
        }
    }

    /// The content of the file; all arguments are quoted, so that YAML reads them as strings.
    package var text: String {
        let words = TemplateTexts(language: self.language)
        return """
            # yaml-language-server: $schema=\(self.schema)
            # VersionGate rules. After each change, run: versiongate check --strict PATH
            # A running gate applies a change within a second.

            # Requests without a valid app version pass, so a missing header locks out no client.
            # `observe` counts such requests; `reject` denies them.
            unidentified: { missing: allow, unreadable: allow }

            # Always forwarded: health checks, and paths that denied clients still need.
            exempt:
              - /healthz
              - { method: POST, path: /logout }

            # Below `minimum`, an app must update. Other keys: `recommended` for a hint, `blocked`
            # for individual bad releases, `next` for a later floor with a date and a rollout.
            # Clients send X-App-Platform and X-App-Version. With several apps on this gate, they
            # also send X-App-Id, and each rule names its app: match: { platform: ios, app: ID }.
            rules:
              - id: ios
                match: { platform: ios }
                minimum: "1.0.0" # the oldest version that still works
                # recommended: "1.0.0" # the newest version in the store; a higher floor is rejected
                notice: upgrade
                storeUrl: \(Self.link(self.iosURL, PlaceholderURL.appStore))

              - id: android
                match: { platform: android }
                minimum: "1.0.0" # the oldest version that still works
                # recommended: "1.0.0" # the newest version in the store; a higher floor is rejected
                notice: upgrade
                storeUrl: \(Self.link(self.androidLink, PlaceholderURL.googlePlay))

            # The texts for an app that must update. {currentVersion} is the version that the app
            # sent. Add other languages next to the first; all other clients get `defaultLanguage`.
            defaultLanguage: "\(self.language)"
            notices:
              upgrade:
                "\(self.language)":\(words.needTranslation ? " # placeholder: translate the texts" : "")
                  title: "\(words.title)"
                  message: "\(words.message)"
                  button: "\(words.button)"

            # Tests: the gate rejects a change that denies a client that a test expects to pass. These
            # tests pass with any floor; add a test with the version that most clients have.
            tests:
            \(self.tests(of: "ios"))
            \(self.tests(of: "android"))

            """
    }

    private func tests(of platform: String) -> String {
        """
          - name: the first version for \(platform) must update
            request: { platform: \(platform), version: "0.0.1" }
            expect: { decision: require, rule: \(platform) }
          - name: a future version for \(platform) passes
            request: { platform: \(platform), version: "9999.0.0" }
            expect: { decision: [allow, recommend] }
        """
    }

    /// The store URL for Android, by default the Google Play URL of the package name.
    private var androidLink: String? {
        self.androidURL
            ?? self.appID.map { "https://play.google.com/store/apps/details?id=\($0)" }
    }

    private static func link(_ url: String?, _ placeholder: String) -> String {
        url.map { "\"\($0)\"" } ?? "\"\(placeholder)\" # placeholder: replace it"
    }
}

/// The placeholder store URLs of a new rules file.
///
/// They are valid URLs that do not belong to any app, so active rules must not contain them.
enum PlaceholderURL {
    static let appStore = "https://apps.apple.com/app/id0000000000"
    static let googlePlay = "https://play.google.com/store/apps/details?id=com.example.app"

    static let all = [Self.appStore, Self.googlePlay]
}

/// The texts for an app that must be updated, in the languages that the command `init` supports.
struct TemplateTexts {
    let title: String
    let message: String
    let button: String
    /// Whether the texts are English because there is no translation.
    let needTranslation: Bool

    /// Creates the texts for a language tag, or English texts if there is no translation.
    init(language: String) {
        self.needTranslation = !["en", "de", "ja", "ko"].contains(language)
        switch language {
        case "de":
            self.title = "Update nötig"
            self.message = "Version {currentVersion} funktioniert nicht mehr. Bitte aktualisieren."
            self.button = "Aktualisieren"
        case "ja":
            self.title = "アップデートのお願い"
            self.message = "バージョン {currentVersion} はご利用いただけません。最新版にアップデートしてください。"
            self.button = "アップデートする"
        case "ko":
            self.title = "업데이트가 필요합니다"
            self.message = "{currentVersion} 버전은 더 이상 사용할 수 없습니다. 최신 버전으로 업데이트해 주세요."
            self.button = "업데이트"
        default:
            self.title = "Update required"
            self.message =
                "Version {currentVersion} no longer works. Please update to the latest version."
            self.button = "Update"
        }
    }
}

/// The reason why a rules file cannot be created.
package enum RulesTemplateError: Error, Equatable, CustomStringConvertible {
    case appID(String)
    case storeURL(String, reason: String)
    case language(String)

    package var description: String {
        switch self {
        case .appID(let text):
            "'\(text)' is not an app identifier: use 1 to 128 letters, digits, '.', '_' and '-'"
        case .storeURL(let text, let reason): "'\(text)' is not a store URL: \(reason)"
        case .language(let text): "'\(text)' is not a language tag such as 'en' or 'zh-Hant'"
        }
    }
}
