public import Foundation

/// The content of an update prompt for a view.
///
/// The prompt has no texts of its own: if the operator provides none, the app has to provide them.
public struct UpdatePrompt: Sendable, Hashable, Identifiable {
    /// The recommended or required update.
    public let update: Update
    /// Whether the user may continue without the update.
    ///
    /// If the value is `false`, the user must not be able to close the prompt.
    public let isDismissible: Bool

    /// Creates the prompt for a state; returns `nil` if the state is not about an update.
    ///
    /// - Parameter state: The state to show, from ``GateState/inEffect``.
    public init?(_ state: GateState) {
        switch state {
        case .recommended(let update):
            self.init(update, isDismissible: true)
        case .required(let update):
            self.init(update, isDismissible: false)
        case .allowed, .maintenance, .unknown:
            return nil
        }
    }

    /// Creates the prompt for a denial; returns `nil` if the denial is for maintenance.
    ///
    /// - Parameter denial: The denial in a ``GateDenied`` error.
    public init?(_ denial: Denial) {
        guard case .updateRequired(let update) = denial.reason else { return nil }
        self.init(update, isDismissible: false)
    }

    private init(_ update: Update, isDismissible: Bool) {
        self.update = update
        self.isDismissible = isDismissible
    }

    /// A stable identity for the same update, so that a visible prompt is not replaced when the gate
    /// repeats the state.
    public var id: String {
        "\(self.isDismissible ? "recommended" : "required") \(self.update.offeredVersion)"
    }

    /// The title from the operator; `nil` if there is none.
    public var title: String? { self.update.title }

    /// The message from the operator for the user; `nil` if there is none.
    public var message: String? { self.update.message }

    /// The label of the store button; `nil` if there is no label, or no button should be shown.
    public var button: String? { self.storeURL == nil ? nil : self.update.button }

    /// The target of the store button; `nil` if no button should be shown, for example because the device's OS is too
    /// old for the update.
    public var storeURL: URL? { self.update.cannotUpdate ? nil : self.update.storeURL }
}
