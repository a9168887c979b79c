package io.redelay.queue.listener;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.AckMode;
import io.redelay.queue.UnfitAction;
import io.redelay.queue.listener.deadletter.DeadLetterSettings;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.scheduling.QueueThreads;
import io.redelay.scheduling.SafetyPoll;
import io.redelay.test.IdleStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Capacity}.
 */
class CapacityTests {

	private static final int ALL = 1000;

	private final QueueThreads threads = QueueThreads.platform();

	private final PollLoop one = loop("one");

	private final PollLoop two = loop("two");

	private final PollLoop three = loop("three");

	@AfterEach
	void close() {
		this.threads.close();
	}

	@Test
	void hasRoomForHandlersAndPrefetch() {
		Capacity capacity = new Capacity(settings(2, 2, 3, 1));
		assertThat(capacity.reserve(this.one, ALL)).isEqualTo(5);
		assertThat(capacity.reserve(this.one, ALL)).isZero();
		capacity.release(2);
		assertThat(capacity.reserve(this.one, 1)).isEqualTo(1);
		assertThat(capacity.reserve(this.one, ALL)).isEqualTo(1);
		assertThat(capacity.held()).isEqualTo(5);
	}

	@Test
	void whoFoundNoRoomGoesFirst() {
		Capacity capacity = new Capacity(settings(1, 1, 0, 1));
		assertThat(capacity.reserve(this.one, ALL)).isEqualTo(1);
		assertThat(capacity.reserve(this.two, ALL)).isZero();
		assertThat(capacity.reserve(this.three, ALL)).isZero();
		for (int round = 0; round < 3; round++) {
			capacity.release(1);
			assertThat(capacity.reserve(this.one, ALL)).isZero();
			assertThat(capacity.reserve(this.three, ALL)).isZero();
			assertThat(capacity.reserve(this.two, ALL)).isEqualTo(1);
			capacity.release(1);
			assertThat(capacity.reserve(this.two, ALL)).isZero();
			assertThat(capacity.reserve(this.one, ALL)).isZero();
			assertThat(capacity.reserve(this.three, ALL)).isEqualTo(1);
			capacity.release(1);
			assertThat(capacity.reserve(this.three, ALL)).isZero();
			assertThat(capacity.reserve(this.two, ALL)).isZero();
			assertThat(capacity.reserve(this.one, ALL)).isEqualTo(1);
			// From here on in the same order again.
			assertThat(capacity.reserve(this.two, ALL)).isZero();
			assertThat(capacity.reserve(this.three, ALL)).isZero();
		}
	}

	@Test
	void whoeverHelpsTakesNothingFromOtherQueues() {
		Capacity capacity = new Capacity(settings(12, 12, 0, 1));
		PollLoop help = loops(this.one.queue()).get(1);
		assertThat(capacity.reserve(help, ALL)).isEqualTo(12);
		assertThat(capacity.reserve(this.two, ALL)).isZero();
		capacity.release(12);
		assertThat(capacity.reserve(help, ALL)).isZero();
		assertThat(capacity.next()).isSameAs(this.two);
		assertThat(capacity.reserve(this.one, ALL)).isEqualTo(6);
		assertThat(capacity.reserve(this.two, ALL)).isEqualTo(6);
		capacity.release(12);
		assertThat(capacity.reserve(help, ALL)).isEqualTo(12);
	}

	@Test
	void tellsTheFirstInLineWhileThereIsRoom() {
		Capacity capacity = new Capacity(settings(1, 1, 0, 1));
		assertThat(capacity.next()).isNull();
		assertThat(capacity.reserve(this.one, ALL)).isEqualTo(1);
		assertThat(capacity.reserve(this.two, ALL)).isZero();
		assertThat(capacity.reserve(this.three, ALL)).isZero();
		assertThat(capacity.next()).isNull();
		capacity.release(1);
		assertThat(capacity.next()).isSameAs(this.two);
		capacity.leaveLine(this.two);
		assertThat(capacity.next()).isSameAs(this.three);
	}

	@Test
	void sharesWhatThereIs() {
		Capacity capacity = new Capacity(settings(10, 10, 0, 1));
		assertThat(capacity.reserve(this.one, ALL)).isEqualTo(10);
		assertThat(capacity.reserve(this.two, ALL)).isZero();
		capacity.release(10);
		assertThat(capacity.reserve(this.one, ALL)).isEqualTo(5);
		assertThat(capacity.reserve(this.two, ALL)).isEqualTo(5);
	}

	@Test
	void keepsNothingForWhoLeftTheLine() {
		Capacity capacity = new Capacity(settings(4, 4, 0, 1));
		assertThat(capacity.reserve(this.one, ALL)).isEqualTo(4);
		assertThat(capacity.reserve(this.two, ALL)).isZero();
		capacity.leaveLine(this.two);
		capacity.release(4);
		assertThat(capacity.reserve(this.one, ALL)).isEqualTo(4);
	}

	@Test
	void sharesWholeBatches() {
		Capacity capacity = new Capacity(settings(1, 1, 0, 10));
		assertThat(capacity.reserve(this.one, ALL)).isEqualTo(10);
		assertThat(capacity.reserve(this.two, ALL)).isZero();
		capacity.release(10);
		assertThat(capacity.reserve(this.one, ALL)).isZero();
		assertThat(capacity.reserve(this.two, ALL)).isEqualTo(10);
	}

	@Test
	void prefetchesWhatIsHandledInATenthOfASecond() {
		Capacity capacity = new Capacity(settings(2, 2, null, 1));
		assertThat(capacity.reserve(this.one, ALL)).as("nothing is known").isEqualTo(2);
		capacity.release(2);
		capacity.handled(TimeUnit.MILLISECONDS.toNanos(10));
		assertThat(capacity.reserve(this.one, ALL)).isEqualTo(2 + 2 * 10);
		capacity.release(22);
		capacity.stalled();
		assertThat(capacity.reserve(this.one, ALL)).isEqualTo(2);
		capacity.release(2);
		for (int i = 0; i < 100; i++) {
			capacity.handled(1000);
		}
		assertThat(capacity.reserve(this.one, ALL)).as("the most").isEqualTo(2 + 500);
	}

	@Test
	void slowHandlersGetNothingInAdvance() {
		Capacity capacity = new Capacity(settings(2, 2, null, 1));
		capacity.handled(TimeUnit.SECONDS.toNanos(1));
		assertThat(capacity.reserve(this.one, ALL)).isEqualTo(2);
	}

	@Test
	void movesWithinItsRange() {
		Capacity capacity = new Capacity(settings(1, 3, 0, 1));
		assertThat(capacity.permits()).isEqualTo(1);
		for (int i = 0; i < 5; i++) {
			capacity.claimed(true);
		}
		assertThat(capacity.permits()).isEqualTo(3);
		assertThat(capacity.reserve(this.one, ALL)).isEqualTo(3);
		for (int i = 0; i < 5; i++) {
			capacity.claimed(false);
		}
		assertThat(capacity.permits()).isEqualTo(1);
		assertThat(capacity.reserve(this.one, ALL)).as("holds more than it may now").isZero();
	}

	private PollLoop loop(String queue) {
		return loops(queue).get(0);
	}

	private List<PollLoop> loops(String queue) {
		JsonMapper mapper = JsonMapper.shared();
		IdleStore store = new IdleStore();
		ListenerRuntime runtime = new ListenerRuntime("here", store, IdleStore.admin(), new EnvelopeCodec(), mapper,
				this.threads.timer(), this.threads.handlers(), new WakeUps(store),
				new SafetyPoll(Duration.ofSeconds(5)), ObservationRegistry.NOOP, null, List.of(), null,
				new SuspectAdmission());
		ContainerSettings settings = settings(2, 2, 0, 1);
		return PollLoop.create(queue, new QueueListenerContainer(settings, (deliveries) -> null, runtime),
				settings.queues().values().iterator().next());
	}

	static ContainerSettings settings(int min, int max, @Nullable Integer prefetch, int batchSize) {
		Map<String, ContainerSettings.QueueSettings> queues = new LinkedHashMap<>();
		for (String queue : List.of("one", "two", "three")) {
			queues.put(queue, new ContainerSettings.QueueSettings(Duration.ofSeconds(30), null, 5,
					RetryBackoff.DEFAULTS, List.of(), null, DeadLetterSettings.DEFAULTS, UnfitAction.BURY));
		}
		return new ContainerSettings("test", queues, min, max, prefetch, AckMode.AUTO, batchSize, Duration.ZERO, true,
				List.of());
	}

}
