internal import GateCensus
internal import GatePolicy

/// The ids of cells and shapes whose rows were written before.
///
/// To look one up in the file costs as much as to count in its row, and most come again each time.
struct CensusRowIDs {
    /// Cells and shapes before all are forgotten.
    private static let limit = 16_384

    private var cells: [CensusCell: Int64] = [:]
    private var shapes: [PathShape: Int64] = [:]
    private var dataVersion: Int64?

    /// Forgets everything if somebody else has written to the file: a purge, or another gate.
    ///
    /// To be called within the transaction that uses the ids.
    mutating func check(in database: SQLiteDatabase) throws(SQLiteDatabase.Failure) {
        let version = try database.integer("PRAGMA data_version")
        let isFull = self.cells.count + self.shapes.count > Self.limit
        guard isFull || version != self.dataVersion else { return }
        self = CensusRowIDs()
        self.dataVersion = version
    }

    /// The id of a cell, which is made if there is none.
    mutating func id(
        of cell: CensusCell,
        in database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) -> Int64 {
        if let known = self.cells[cell] { return known }
        let written = cell.isWritable ? cell : cell.other
        let id = try Self.id(of: written.text, in: "cells", of: database)
        self.cells[cell] = id
        return id
    }

    /// The id of a shape, likewise.
    mutating func id(
        of shape: PathShape,
        in database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) -> Int64 {
        if let known = self.shapes[shape] { return known }
        let id = try Self.id(of: shape.text, in: "shapes", of: database)
        self.shapes[shape] = id
        return id
    }

    private static func id(
        of text: String,
        in table: String,
        of database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) -> Int64 {
        if let id = try database.integer("SELECT id FROM \(table) WHERE text = ?", [.text(text)]) {
            return id
        }
        try database.run("INSERT INTO \(table) (text) VALUES (?)", [.text(text)])
        return try database.integer("SELECT last_insert_rowid()") ?? 0
    }
}
