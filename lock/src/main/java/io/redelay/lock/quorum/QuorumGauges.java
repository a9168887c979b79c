package io.redelay.lock.quorum;

import java.util.List;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Measures with Micrometer which servers of a quorum answer.
 *
 * @since 0.1.0
 */
public final class QuorumGauges implements AutoCloseable {

	private final MeterRegistry registry;

	private final List<Gauge> gauges;

	/**
	 * Registers a gauge for each server.
	 * @param registry the registry
	 * @param quorum knows which servers answer
	 */
	public QuorumGauges(MeterRegistry registry, QuorumLockProvider quorum) {
		this.registry = registry;
		this.gauges = quorum.availability()
			.keySet()
			.stream()
			.map((server) -> Gauge
				.builder("redelay.lock.quorum.available", quorum,
						(provider) -> Boolean.TRUE.equals(provider.availability().get(server)) ? 1 : 0)
				.tag("server", server)
				.register(registry))
			.toList();
	}

	/**
	 * Removes the gauges, as the registry may outlive the quorum.
	 */
	@Override
	public void close() {
		this.gauges.forEach(this.registry::remove);
	}

}
