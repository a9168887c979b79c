package io.redelay.queue.admin.engine.instance;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import io.redelay.delivery.LockUse;
import io.redelay.queue.DeathReason;
import io.redelay.queue.RedriveRule;
import io.redelay.queue.admin.FailureCause;
import io.redelay.queue.admin.InstanceListener;
import io.redelay.queue.admin.ListenedQueue;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link InstanceDescription}.
 */
class InstanceDescriptionTests {

	private final JsonMapper mapper = JsonMapper.shared();

	private final ListenedQueue queue = listened("q");

	private final InstanceDescription description = new InstanceDescription("name", Instant.EPOCH, 60_000, 90_000,
			15_000, "client",
			List.of(new InstanceListener("id", InstanceListener.State.RUNNING, 1, 2, 3, List.of(this.queue))),
			new InstanceDescription.Locks(List.of(), 0, 0), null, true);

	static ListenedQueue listened(String name) {
		return new ListenedQueue(name, false, null, null, false, null, 1, 2, 3, List.of(), null, null, null, null, null,
				null, null, Set.of(), 5, "none", Duration.ofSeconds(30), null, null, null, 7, null);
	}

	@Test
	void whatIsWrittenIsRead() {
		assertThat(InstanceDescription.read(this.mapper, new DescriptionWriter(this.mapper).write(this.description)))
			.isEqualTo(this.description);
	}

	@Test
	void eachKindOfValueIsWrittenAndRead() {
		Duration time = Duration.ofMillis(1500);
		ListenedQueue all = new ListenedQueue("\"q\"", true, time, time, true, time, 1, 2, 3,
				List.of(new FailureCause("E", "m\n", 4)), "100/1s", 5, "1/1s", 6, "shared", "2/1s", 7,
				Set.of(ListenedQueue.Limit.RATE), 8, "none", time, "other", "dead",
				new RedriveRule(time, null, null, 9, 0.5, Set.of(DeathReason.FAILED)), 10, time);
		InstanceDescription full = new InstanceDescription("é", Instant.ofEpochMilli(1), 1, Long.MAX_VALUE, 3, "client",
				List.of(new InstanceListener("id", InstanceListener.State.PAUSED, 1, 2, 3, List.of(all, this.queue))),
				new InstanceDescription.Locks(List.of(new LockUse("lock", "FAIR", true, "thread", time, "q")), 1, 0),
				Set.of("inlet"), true);
		assertThat(InstanceDescription.read(this.mapper, new DescriptionWriter(this.mapper).write(full)))
			.isEqualTo(full);
	}

	@Test
	void whatIsNoAnnouncementIsLeftAside() {
		for (String text : List.of("{}", "{\"name\":\"one\",\"ttlMillis\":15000}", "x", "")) {
			assertThat(InstanceDescription.read(this.mapper, text)).as(text).isNull();
		}
	}

	@Test
	void theTimeOfTheStartIsByTheClockOfTheStore() {
		assertThat(started(this.description)).isEqualTo(Instant.parse("2026-01-01T09:59:00Z"));
	}

	private static Instant started(InstanceDescription description) {
		Instant announced = Instant.parse("2026-01-01T10:00:00Z");
		return new InstanceDirectory.DescribedInstance(new InstanceKeys.Instance("one", announced.plusSeconds(3),
				announced.plusMillis(description.ttlMillis()), ""), description)
			.toInfo()
			.startedAt();
	}

	/**
	 * Not one of the numbers is there, as each of them may be newer than an instance.
	 */
	@Test
	void whatAnEarlierVersionDoesNotAnnounceIsAsIfItWereZero() {
		JsonNode json = this.mapper.valueToTree(this.description);
		((ObjectNode) json).remove(List.of("believedMillis", "upMillis"));
		((ObjectNode) json.get("locks")).remove(List.of("held", "awaited"));
		ObjectNode queue = (ObjectNode) json.get("listeners").get(0).get("queues").get(0);
		queue.remove(List.of("inHands", "gated", "unanswered", "handled", "failed", "lockRefusals", "maxAttempts"));
		InstanceDescription read = InstanceDescription.read(this.mapper, json.toString());
		assertThat(read).isNotNull();
		assertThat(read.believedMillis()).isEqualTo(90_000);
		assertThat(started(read)).isEqualTo(Instant.EPOCH);
		assertThat(read.listeners().get(0).queues().get(0).inHands()).isZero();
	}

}
