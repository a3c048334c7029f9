/// Rules files like those of an operator.
package enum RulesText {
    /// A floor for the iOS app, in three languages.
    package static let shop = Self.shop(minimum: "3.5.0")

    /// Returns the shop's rules with a different floor.
    ///
    /// Each floor results in a different revision.
    package static func shop(minimum: String, unreadable: String = "allow") -> String {
        """
        unidentified:
          missing: allow
          unreadable: \(unreadable)
          storeUrl: \(Self.storeURL)
        exempt:
          - path: /healthz
          - { method: POST, path: /logout }
        rules:
          - id: ios
            match: { app: com.example.shop, platform: ios }
            minimum: "\(minimum)"
            notice: upgrade
            storeUrl: \(Self.storeURL)
        notices:
          upgrade:
            en:
              title: Update required
              message: "Version {currentVersion} is too old. Please update to {minimumVersion}."
              button: Update
            ja:
              title: アップデートのお願い
              message: "{minimumVersion} 以降に更新してください。"
              button: アップデートする
            pt-BR:
              title: Atualização necessária
              message: "A versão {currentVersion} não funciona mais."

        """
    }

    /// Returns a file that cannot be loaded because of a key on this line, starting at 1.
    package static func broken(line: Int) -> String {
        String(repeating: "# a comment\n", count: line - 1) + "ruels: []\n"
    }

    package static let storeURL = "https://apps.apple.com/app/id1234567890"
}
