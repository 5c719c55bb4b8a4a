import Playhead

/// The layers that show the clips of a feed.
extension FeedPlayerPool {
    /// Assigns a layer to a clip. From then on, its sinks receive nothing of the clip that it was assigned to before. Any
    /// thread; a call of `applyBinding(of:)` on the feed's queue completes the assignment.
    func bind(_ layer: FeedLayer?, to id: ID) {
        let old = published.withLock { published in
            published.pendingBindings[id, default: 0] += 1
            return published.bindings[id]
        }
        if let old, old.layer === layer, old.isCurrent { return }
        let binding = layer.flatMap { layer in layer.begin().map { makeBinding(of: layer, $0) } }
        let replaced = published.withLock { published -> LayerBinding? in
            // Another thread, or the layer's handler, may have assigned the layer to the clip again meanwhile.
            if let binding, published.bindings[id]?.isNewer(than: binding) == true { return nil }
            defer { published.bindings[id] = binding }
            return published.bindings[id]
        }
        replaced?.end()
    }

    private func makeBinding(of layer: FeedLayer, _ number: UInt64) -> LayerBinding {
        LayerBinding(layer: layer, number: number, performOnSinkLane: clock.makeSinkLane())
    }

    /// Completes an assignment that `bind` began.
    func applyBinding(of id: ID) {
        let binding = published.withLock { published in
            let rest = (published.pendingBindings[id] ?? 1) - 1
            published.pendingBindings[id] = rest > 0 ? rest : nil
            return published.bindings[id]
        }
        apply(binding, to: id)
    }

    /// Attaches the player of a clip to its layer.
    private func apply(_ binding: LayerBinding?, to id: ID) {
        guard !isClosed else { return binding?.end() ?? () }
        if let binding, let old = layers[id], old.isSame(as: binding) { return }
        layers[id] = nil
        guard let binding else { return }
        // The layer has been assigned again meanwhile. That assignment may have been applied before this one.
        guard binding.isCurrent else { return publish(nil, of: id, replacing: binding) }
        layers[id] = binding
        // The layer was used by another clip until now.
        for (other, old) in layers where other != id && old.layer === binding.layer {
            layers[other] = nil
            publish(nil, of: other, replacing: old)
        }
        binding.performOnSinkLane { binding.layer.flush(binding.number) }
        if let slot = slot(of: id) { binding.layer.attach(slot.player, for: binding.number) }
        binding.layer.setPosterNeeded(for: binding.number) { [weak self, clock] in
            clock.enqueue { [weak self] in self?.requestPoster(of: id) }
        }
        requestPoster(of: id)
    }

    /// Assigns a layer again to the clip that it shows, as if it were another clip. Its sinks are flushed, and a poster
    /// is requested.
    func rebind(_ id: ID) {
        guard let binding = layers.removeValue(forKey: id) else { return }
        let new = binding.layer.begin(after: binding.number).map { makeBinding(of: binding.layer, $0) }
        publish(new, of: id, replacing: binding)
        if let new { apply(new, to: id) }
    }

    func attach(_ player: Player?, to id: ID) {
        if let binding = layers[id] { binding.layer.attach(player, for: binding.number) }
    }

    /// Publishes a binding, unless the layer has been assigned again meanwhile.
    private func publish(_ new: LayerBinding?, of id: ID, replacing old: LayerBinding) {
        published.withLock { published in
            if published.bindings[id]?.isSame(as: old) == true { published.bindings[id] = new }
        }
    }

    /// Ends the assignments of layers to clips that are not listed.
    func unbindLayers(notIn ids: Set<ID>) {
        let pending = published.withLock { Set($0.pendingBindings.keys) }
        // A layer that has been assigned again meanwhile belongs to a cell that is listed next.
        for (id, binding) in layers where !ids.contains(id) && !pending.contains(id) {
            binding.end()
            layers[id] = nil
            publish(nil, of: id, replacing: binding)
        }
    }

    /// Ends all assignments of layers.
    func unbindAllLayers() {
        for binding in layers.values { binding.end() }
        for binding in published.withLock({ $0.bindings.values }) { binding.end() }
        layers = [:]
    }
}
