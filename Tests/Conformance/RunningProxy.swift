import GateTestSupport

/// A proxy that listens.
protocol RunningProxy {
    var port: UInt16 { get }

    /// Ends it and waits until it has ended.
    func stop()
}

extension GateProcess: RunningProxy {
    func stop() {
        self.end()
    }
}

extension PeerProcess: RunningProxy {}
