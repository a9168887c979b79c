package io.redelay.queue.admin.engine.instance;

import java.time.Instant;

import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.ListenedQueue;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link InstanceDescription}.
 */
class InstanceDescriptionTests {

	private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");

	/**
	 * As commit 35254e23 announced it, which knew neither how long an announcement is
	 * believed nor how many messages handlers work on.
	 */
	private static final String OLDER = """
			{"name": "host-1:1", "startedAt": "2026-11-23T11:00:00Z", "ttlMillis": 15000, "client": "c1", "listeners": [{"id": "mail",
			 "state": "RUNNING", "concurrency": 2, "busy": 1, "prefetched": 0, "queues": [{"queue": "orders", "gated": false,
			 "unanswered": false, "handled": 3, "failed": 0, "lockRefusals": 0, "causes": [], "limitedBy": [], "maxAttempts": 3,
			 "backoff": "1s", "leaseTime": "PT30S"}]}], "locks": {"uses": [], "held": 0, "awaited": 0}}""";

	@Test
	void anInstanceOfAnOlderVersionIsKnown() {
		InstanceDescription description = InstanceDescription.read(JsonMapper.shared(), OLDER);
		assertThat(description).isNotNull();
		InstanceDirectory.DescribedInstance instance = new InstanceDirectory.DescribedInstance(
				new InstanceKeys.Instance("i1", NOW, NOW.plusMillis(1000), OLDER), description);
		assertThat(instance.isBelieved()).isTrue();
		InstanceInfo info = instance.toInfo();
		ListenedQueue queue = info.listeners().get(0).queues().get(0);
		assertThat(queue.handled()).isEqualTo(3);
		assertThat(queue.inHands()).isZero();
		assertThat(queue.meanLockWait()).isNull();
	}

	@Test
	void whatIsNoAnnouncementIsLeftOut() {
		assertThat(InstanceDescription.read(JsonMapper.shared(), "{\"name\": 7, \"listeners\": 1}")).isNull();
	}

}
