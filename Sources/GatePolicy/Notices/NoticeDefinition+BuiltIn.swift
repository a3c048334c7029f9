extension NoticeDefinition {
    /// The words for a client below a floor, where the rules file has none.
    static let upgrade = NoticeDefinition(
        texts: [
            .english: NoticeText(
                title: NoticeTemplate(literal: "Update required"),
                message: NoticeTemplate(
                    literal: "This version of the app no longer works. "
                        + "Please update to the latest version."
                ),
                button: NoticeTemplate(literal: "Update")
            )
        ]
    )

    /// The words for a client for whom an update is only recommended.
    static let recommended = NoticeDefinition(
        texts: [
            .english: NoticeText(
                title: NoticeTemplate(literal: "Update available"),
                message: NoticeTemplate(literal: "A newer version of the app is available."),
                button: NoticeTemplate(literal: "Update")
            )
        ]
    )

    /// The words for a client whose device cannot have the update.
    static let cannotUpdate = NoticeDefinition(
        texts: [
            .english: NoticeText(
                title: NoticeTemplate(literal: "This device is no longer supported"),
                message: NoticeTemplate(
                    literal: "This version of the app no longer works, and newer ones need a newer "
                        + "operating system. Please update your device, or use another one."
                )
            )
        ]
    )

    /// The words for a client that meets maintenance.
    static let maintenance = NoticeDefinition(
        texts: [
            .english: NoticeText(
                title: NoticeTemplate(literal: "Down for maintenance"),
                message: NoticeTemplate(
                    literal: "We are working on the service. Please try again later."
                )
            )
        ]
    )

    /// The words for a client that does not say which build it is.
    static let unidentified = NoticeDefinition(
        texts: [
            .english: NoticeText(
                title: NoticeTemplate(literal: "Update required"),
                message: NoticeTemplate(
                    literal: "The version of the app could not be recognised. "
                        + "Please update to the latest version."
                ),
                button: NoticeTemplate(literal: "Update")
            )
        ]
    )
}
