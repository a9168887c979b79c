package io.redelay.docs.recipes;

import java.util.Map;
import java.util.TreeMap;

import io.redelay.queue.admin.QueueSnapshots;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

@Component
class DeadLettersHealthIndicator implements HealthIndicator {

	private final QueueSnapshots snapshots;

	DeadLettersHealthIndicator(QueueSnapshots snapshots) {
		this.snapshots = snapshots;
	}

	@Override
	public Health health() {
		Map<String, Object> dead = new TreeMap<>();
		this.snapshots.latest().queues().forEach((name, queue) -> {
			if (queue.info().dead() > 0) {
				dead.put(name, queue.info().dead());
			}
		});
		return (dead.isEmpty() ? Health.up() : Health.status("DEGRADED")).withDetails(dead).build();
	}

}
