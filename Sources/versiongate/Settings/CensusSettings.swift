import GateCensus
import GateRecords
import GateSystem
import NIOCore

/// The settings of the census.
struct CensusSettings {
    /// Cells of clients that are told apart in a minute, and on each event loop until it is asked.
    var maxCells: Int
    /// The time between two writes, which is lost in a crash.
    var interval: Duration
    /// The hash of device ids; `nil`: under a key of the gate's own.
    var hash: SipHash?
    /// The store that the gates of a fleet share; `nil`: none.
    var fleet: FleetStore.Settings?

    /// Whether devices are counted, and not requests alone.
    var countsDevices: Bool
    /// Whether a sample of the devices that are refused is kept.
    var samplesReturns: Bool

    /// The settings of the count on each event loop.
    func tally(hash: SipHash) -> CensusTally.Settings {
        CensusTally.Settings(
            maxCells: self.maxCells,
            hash: hash,
            countsDevices: self.countsDevices,
            samplesReturns: self.samplesReturns
        )
    }

    /// - Returns: `nil` if there is to be none.
    init?(_ reader: SettingsReader) throws(SettingsError) {
        self.maxCells = try reader.value(\.censusMaxCells)
        self.interval = .nanoseconds(try reader.value(\.censusInterval).nanoseconds)
        self.countsDevices = try reader.value(\.censusDevices)
        self.samplesReturns = try reader.optional(\.censusReturns) ?? self.countsDevices
        self.hash = try reader.optional(\.censusKeyFile)
        self.fleet = try FleetStore.Settings(reader, self.hash)
        if !self.countsDevices {
            // Neither is of use without devices, and who asks for it believes that it is there.
            let reason = "\(Settings[\.censusDevices].name.flag) is off"
            if self.fleet != nil { throw .idle(\.censusStore, because: reason) }
            if self.samplesReturns { throw .idle(\.censusReturns, because: reason) }
        }
        guard try reader.value(\.census) else { return nil }
    }
}

extension FleetStore.Settings {
    /// The store that is set; `nil` if none is.
    ///
    /// - Parameters:
    ///   - reader: The settings.
    ///   - hash: The hash that all gates of the fleet have; `nil`: this one has its own.
    /// - Throws: What is missing, or cannot be understood.
    init?(_ reader: SettingsReader, _ hash: SipHash?) throws(SettingsError) {
        let password = try reader.optional(\.censusStorePasswordFile)
        let certificate = try ClientCertificate(reader)
        guard let text = try reader.optional(\.censusStore) else { return nil }
        var place: RedisPlace
        do throws(RedisAddress.Failure) {
            place = RedisPlace(try RedisAddress(text), certificate: certificate)
        } catch {
            // Not the text itself, which may have a password in it.
            throw SettingsError("\(Settings[\.censusStore].name.flag): \(error.description)")
        }
        if let password { place.address.password = password }
        let authorities = try reader.optional(\.censusStoreCA)
        place.trust = try TrustedAuthorities(\.censusStoreCA, authorities)
        if !place.address.isSecure {
            let reason = "\(Settings[\.censusStore].name.flag) is not rediss://"
            if authorities != nil { throw .idle(\.censusStoreCA, because: reason) }
            if certificate != nil { throw .idle(\.censusStoreCertificate, because: reason) }
        }
        // Sketches under two keys have no device in common.
        guard let hash else { throw .missing(\.censusKeyFile) }
        self.init(place: place, hash: hash)
    }
}

extension ClientCertificate {
    /// The certificate that a store is shown; `nil` if none is set.
    fileprivate init?(_ reader: SettingsReader) throws(SettingsError) {
        let chain = try reader.optional(\.censusStoreCertificate)
        let key = try reader.optional(\.censusStoreKey)
        guard let chain else {
            if key != nil { throw .missing(\.censusStoreCertificate) }
            return nil
        }
        guard let key else { throw .missing(\.censusStoreKey) }
        self.init(chain: chain, key: key)
    }
}
