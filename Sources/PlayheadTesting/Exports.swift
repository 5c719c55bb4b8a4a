// The types of drivers and backends that a test names. The whole module is not exported: its `Decoder` would hide Swift's.
@_exported public import protocol PlayheadBackend.Driver
@_exported public import protocol PlayheadBackend.Lane
@_exported public import enum PlayheadBackend.LaneRole
@_exported public import protocol PlayheadBackend.MediaBackend
@_exported public import protocol PlayheadBackend.Wakeup
