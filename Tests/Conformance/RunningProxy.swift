import GateTestSupport

/// A running proxy.
protocol RunningProxy {
    var port: UInt16 { get }

    /// Stops the proxy and waits until it has exited.
    func stop()
}

extension GateProcess: RunningProxy {
    func stop() {
        self.end()
    }
}

extension PeerProcess: RunningProxy {}
