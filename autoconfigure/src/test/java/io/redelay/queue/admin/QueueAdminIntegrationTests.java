package io.redelay.queue.admin;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueClosedException;
import io.redelay.queue.QueueException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.api.RMap;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for looking at queues and acting on them.
 */
class QueueAdminIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final Handler handler = new Handler();

	private ListenerApplication application;

	private QueueAdmin admin;

	@BeforeEach
	void start() {
		this.application = startApplication(this.handler);
		this.admin = this.application.bean(QueueAdmin.class);
	}

	private ListenerApplication startApplication(Handler handler) {
		return ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.with("redelay.queue.listener.auto-startup", "false")
			.with("redelay.queue.listener.max-attempts", "1")
			.start();
	}

	@AfterEach
	void close() {
		this.handler.gate.countDown();
		this.application.close();
	}

	@Test
	void listsTheQueuesThatWereUsed() {
		send("x");
		assertThat(this.admin.queues().names()).contains(this.queue);
		assertThat(this.admin.queues().infos()).containsKey(this.queue);
	}

	@Test
	void countsByState() {
		this.handler.failing = Set.of("dead");
		send("dead", "held");
		container().start();
		// So "dead" is buried, and "held" cannot go back any more.
		Awaitility.await().until(() -> this.handler.begun.contains("held"));
		container().pause();
		send("ready", "ready too");
		this.application.queues().send(this.queue, "scheduled", Duration.ofHours(1));
		QueueInfo info = this.admin.queues().info(this.queue);
		assertThat(info.scheduled()).isOne();
		assertThat(info.ready()).isEqualTo(2);
		assertThat(info.inFlight()).isOne();
		assertThat(info.dead()).isOne();
		assertThat(info.nextDue()).isEqualTo(
				this.admin.messages().browse(this.queue, MessageState.SCHEDULED, 0, 1).messages().get(0).dueAt());
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.admin.queues().info(this.queue).oldestReadyAge())
				.isGreaterThan(Duration.ofMillis(20)));
		assertThat(info.paused()).isFalse();
	}

	@Test
	void theOldestIsOldAlthoughOthersAreNext() {
		this.application.queues().send(OutboundMessage.to(this.queue, "old").priority(0));
		for (OutboundMessage next : List.of(OutboundMessage.to(this.queue, "urgent").priority(9),
				OutboundMessage.to(this.queue, "of a key").priority(8).fairnessKey("a"),
				OutboundMessage.to(this.queue, "first of a line").orderingKey("k"),
				OutboundMessage.to(this.queue, "behind it").orderingKey("k"))) {
			Duration age = awaitAge();
			this.application.queues().send(next);
			assertThat(this.admin.queues().info(this.queue).oldestReadyAge()).as(next.toString())
				.isGreaterThanOrEqualTo(age);
		}
	}

	@Test
	void theOldestInALineIsFound() {
		this.application.queues().send(OutboundMessage.to(this.queue, "has the turn").priority(0).orderingKey("k"));
		Duration age = awaitAge();
		this.application.queues().send(OutboundMessage.to(this.queue, "urgent").priority(9));
		assertThat(this.admin.queues().info(this.queue).oldestReadyAge()).isGreaterThanOrEqualTo(age);
	}

	@Test
	void theOldestOfManyKeysIsFound() {
		OutboundMessage old = OutboundMessage.to(this.queue, "old").priority(1).fairnessKey("old");
		this.application.queues().send(old);
		Duration age = awaitAge();
		for (int i = 0; i < 250; i++) {
			this.application.queues().send(OutboundMessage.to(this.queue, "new").priority(5).fairnessKey("key" + i));
		}
		assertThat(this.admin.queues().info(this.queue).oldestReadyAge()).isGreaterThanOrEqualTo(age);
	}

	@Test
	void anOldMessageThatAgesIsFoundBehindMoreUrgentOnes() {
		try (ListenerApplication ageing = ListenerApplication.on(redis)
			.with("redelay.queue.queues." + this.queue + ".priority-ageing", "10m")
			.start()) {
			ageing.queues().send(OutboundMessage.to(this.queue, "old").priority(1));
			Duration age = awaitAge();
			ageing.queues().send(OutboundMessage.to(this.queue, "urgent").priority(9));
			assertThat(this.admin.queues().info(this.queue).oldestReadyAge()).isGreaterThanOrEqualTo(age);
		}
	}

	private Duration awaitAge() {
		Duration before = this.admin.queues().info(this.queue).oldestReadyAge();
		Awaitility.await()
			.until(() -> this.admin.queues().info(this.queue).oldestReadyAge(),
					(age) -> age.compareTo(before.plusMillis(300)) > 0);
		return this.admin.queues().info(this.queue).oldestReadyAge();
	}

	@Test
	void showsTheMessagesInAStateByPage() {
		send(IntStream.range(0, 25).mapToObj((i) -> "m" + i).toArray(String[]::new));
		QueuePage first = this.admin.messages().browse(this.queue, MessageState.READY, 0, 10);
		QueuePage last = this.admin.messages().browse(this.queue, MessageState.READY, 2, 10);
		assertThat(first.hasNext()).isTrue();
		assertThat(payloads(first)).startsWith("m0", "m1").hasSize(10);
		assertThat(last.hasNext()).isFalse();
		assertThat(payloads(last)).containsExactly("m20", "m21", "m22", "m23", "m24");
		assertThat(this.admin.messages().browse(this.queue, MessageState.READY, 3, 10).messages()).isEmpty();
		assertThat(this.admin.messages().browse(this.queue, MessageState.DEAD, 0, 10).messages()).isEmpty();
	}

	@Test
	void showsWhatIsScheduledByTime() {
		for (int minutes : List.of(30, 10, 20)) {
			this.application.queues().send(this.queue, minutes, Duration.ofMinutes(minutes));
		}
		assertThat(payloads(this.admin.messages().browse(this.queue, MessageState.SCHEDULED, 0, 10)))
			.containsExactly("10", "20", "30");
	}

	@Test
	void showsWhatIsInFlight() {
		send("held");
		container().start();
		Awaitility.await()
			.untilAsserted(
					() -> assertThat(payloads(this.admin.messages().browse(this.queue, MessageState.IN_FLIGHT, 0, 10)))
						.containsExactly("held"));
	}

	@Test
	void listsTheConsumersByInstance() {
		container().start();
		Handler other = new Handler();
		try (ListenerApplication second = startApplication(other)) {
			second.container().start();
			send("held");
			Awaitility.await().untilAsserted(() -> {
				List<ConsumerInfo> consumers = this.admin.queues().consumers(this.queue);
				assertThat(consumers).hasSize(2).allMatch(ConsumerInfo::isAlive);
				assertThat(consumers).extracting(ConsumerInfo::name)
					.allMatch((name) -> name != null && name.endsWith(":" + ProcessHandle.current().pid()));
				assertThat(consumers.stream().mapToLong(ConsumerInfo::inFlight).sum()).isOne();
			});
			other.gate.countDown();
		}
		Awaitility.await().untilAsserted(() -> assertThat(this.admin.queues().consumers(this.queue)).hasSize(1));
	}

	@Test
	void aPausedQueueIsNotDeliveredUntilItIsResumed() {
		this.handler.gate.countDown();
		container().start();
		send("before");
		this.state.awaitDrained();
		this.admin.control().pause(this.queue);
		send("paused");
		Handler other = new Handler();
		other.gate.countDown();
		try (ListenerApplication second = startApplication(other)) {
			second.container().start();
			Awaitility.await()
				.during(Duration.ofMillis(300))
				.untilAsserted(() -> assertThat(this.admin.queues().info(this.queue).ready()).isOne());
			assertThat(this.admin.queues().info(this.queue).paused()).isTrue();
			assertThat(other.handled).isEmpty();
			this.admin.control().resume(this.queue);
			this.state.awaitDrained();
			assertThat(List.of(this.handler.handled, other.handled))
				.anySatisfy((handled) -> assertThat(handled).endsWith("paused"));
		}
	}

	@Test
	void whatIsDueWhilePausedComesWhenResumed() {
		this.handler.gate.countDown();
		container().start();
		send("before");
		this.state.awaitDrained();
		this.admin.control().pause(this.queue);
		this.application.queues().send(this.queue, "due", Duration.ofMillis(50));
		Awaitility.await().untilAsserted(() -> assertThat(this.admin.queues().info(this.queue).ready()).isOne());
		assertThat(this.handler.handled).containsExactly("before");
		this.admin.control().resume(this.queue);
		this.state.awaitDrained();
		assertThat(this.handler.handled).containsExactly("before", "due");
	}

	@Test
	void aPausedContainerTakesNothingWhileOthersDo() {
		this.handler.gate.countDown();
		container().start();
		send("before");
		this.state.awaitDrained();
		container().pause();
		assertThat(container().isPaused()).isTrue();
		Handler other = new Handler();
		other.gate.countDown();
		try (ListenerApplication second = startApplication(other)) {
			second.container().start();
			send("a", "b", "c");
			this.state.awaitDrained();
			assertThat(other.handled).containsExactly("a", "b", "c");
		}
		container().resume();
		send("after");
		this.state.awaitDrained();
		assertThat(this.handler.handled).containsExactly("before", "after");
	}

	@Test
	void whatAPausedContainerHadPrefetchedGoesBack() {
		try (ListenerApplication greedy = ListenerApplication.on(redis)
			.bean(this.handler)
			.with("queue", this.queue)
			.with("redelay.queue.listener.prefetch", "10")
			.start()) {
			send("held", "waits", "waits too");
			Awaitility.await().untilAsserted(() -> {
				assertThat(this.handler.begun).containsExactly("held");
				assertThat(this.admin.queues().info(this.queue).inFlight()).isEqualTo(3);
			});
			greedy.container().pause();
			Awaitility.await().untilAsserted(() -> {
				assertThat(this.admin.queues().info(this.queue).inFlight()).isOne();
				assertThat(this.admin.queues().info(this.queue).ready()).isEqualTo(2);
			});
			this.handler.gate.countDown();
			Awaitility.await().untilAsserted(() -> assertThat(this.handler.handled).containsExactly("held"));
			greedy.container().resume();
			this.state.awaitDrained();
			assertThat(this.handler.handled).containsExactly("held", "waits", "waits too");
		}
	}

	@Test
	void aClosedQueueTakesNothingUntilItIsReopened() {
		send("before");
		this.admin.control().close(this.queue);
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(() -> send("refused"))
			.withMessageContaining(this.queue)
			.withMessageContaining("reopen");
		this.admin.control().reopen(this.queue);
		send("after");
		assertThat(this.admin.queues().info(this.queue).ready()).isEqualTo(2);
	}

	@Test
	void drainsWhatIsThereAndTakesNothingNew() {
		send("a", "b");
		this.application.queues().send(this.queue, "soon", Duration.ofMillis(200));
		this.application.queues().send(this.queue, "much later", Duration.ofHours(1));
		this.handler.gate.countDown();
		container().start();
		QueueInfo left = this.admin.control().drain(this.queue, Duration.ofMinutes(2));
		assertThat(left.ready()).isZero();
		assertThat(left.inFlight()).isZero();
		assertThat(left.scheduled()).isOne();
		assertThat(left.closed()).isTrue();
		assertThat(this.handler.handled).containsExactly("a", "b", "soon");
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(() -> send("refused"));
	}

	@Test
	void aDrainReportsWhatIsLeftAfterItsLimit() {
		send("stuck");
		QueueInfo left = this.admin.control().drain(this.queue, Duration.ofMillis(50));
		assertThat(left.ready()).isOne();
	}

	@Test
	void purgesAStateAndNothingElse() {
		send(IntStream.range(0, 2500).mapToObj((i) -> "m" + i).toArray(String[]::new));
		this.application.queues().send(OutboundMessage.to(this.queue, "kept").id("kept").delay(Duration.ofHours(1)));
		assertThat(this.admin.control().purge(this.queue, MessageState.READY)).isEqualTo(2500);
		assertThat(this.admin.queues().info(this.queue).ready()).isZero();
		assertThat(this.admin.queues().info(this.queue).scheduled()).isOne();
		assertThat(this.admin.control().purge(this.queue, MessageState.SCHEDULED)).isOne();
		assertThat(this.state.messages()).isEmpty();
	}

	@Test
	void dueMessagesAreReadyThoughNoLaneClaimed() {
		this.application.queues().send(this.queue, "due", Duration.ofMillis(20));
		this.application.queues().send(this.queue, "later", Duration.ofHours(1));
		Awaitility.await().untilAsserted(() -> assertThat(this.admin.queues().info(this.queue).ready()).isOne());
		assertThat(payloads(this.admin.messages().browse(this.queue, MessageState.READY, 0, 10)))
			.containsExactly("due");
		assertThat(payloads(this.admin.messages().browse(this.queue, MessageState.SCHEDULED, 0, 10)))
			.containsExactly("later");
		assertThat(this.admin.control().purge(this.queue, MessageState.READY)).isOne();
		assertThat(this.admin.queues().info(this.queue).scheduled()).isOne();
	}

	@Test
	void aMessageOfWhichAnotherVersionCountsIsShownAndHandled() {
		this.handler.gate.countDown();
		send("a", "b", "c");
		RMap<String, String> tries = redis.client().getMap("redelay:{" + this.queue + "}:tries", StringCodec.INSTANCE);
		redis.client()
			.<String, String>getMap("redelay:{" + this.queue + "}:messages", StringCodec.INSTANCE)
			.readAllKeySet()
			.forEach((uid) -> tries.put(uid, "unknown:" + uid));
		assertThat(this.admin.messages().browse(this.queue, MessageState.READY, 0, 10).messages()).hasSize(3);
		container().start();
		this.state.awaitDrained();
		assertThat(this.handler.handled).containsExactlyInAnyOrder("a", "b", "c");
	}

	@Test
	void aQueueWithMessagesIsDeletedOnlyOnRequest() {
		send("x");
		assertThatExceptionOfType(QueueException.class).isThrownBy(() -> this.admin.control().delete(this.queue))
			.withMessageContaining(this.queue)
			.withMessageContaining("purge");
		assertThat(this.admin.queues().names()).contains(this.queue);
		this.admin.control().deleteWithMessages(this.queue);
		assertThat(this.admin.queues().names()).doesNotContain(this.queue);
		assertThatExceptionOfType(UnknownQueueException.class).isThrownBy(() -> this.admin.queues().info(this.queue));
	}

	@Test
	void aDeletedQueueIsNewWhenItIsUsedAgain() {
		this.handler.gate.countDown();
		container().start();
		send("before");
		this.state.awaitDrained();
		this.admin.control().deleteWithMessages(this.queue);
		send("after");
		this.state.awaitDrained();
		assertThat(this.handler.handled).containsExactly("before", "after");
		assertThat(this.admin.queues().names()).contains(this.queue);
	}

	@Test
	void badInputIsRefused() {
		send("x");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.admin.messages().browse(this.queue, MessageState.READY, -1, 10))
			.withMessageContaining("'page'")
			.withMessageContaining("-1");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.admin.messages().browse(this.queue, MessageState.READY, 0, 501))
			.withMessageContaining("'size'");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.admin.messages().browse(this.queue, MessageState.UNKNOWN, 0, 10))
			.withMessageContaining("UNKNOWN");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.admin.control().purge(this.queue, MessageState.IN_FLIGHT))
			.withMessageContaining("cancel");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.admin.control().drain(this.queue, Duration.ofSeconds(-1)))
			.withMessageContaining("'limit'");
		assertThatExceptionOfType(UnknownQueueException.class)
			.isThrownBy(() -> this.admin.control().pause("nobodys-queue"))
			.withMessageContaining("nobodys-queue");
	}

	private void send(String... texts) {
		this.application.queues()
			.sendAll(List.of(texts).stream().map((text) -> OutboundMessage.to(this.queue, text)).toList());
	}

	private QueueListenerContainer container() {
		return this.application.container();
	}

	private static List<String> payloads(QueuePage page) {
		return page.messages().stream().map(QueuedMessage::payloadAsText).toList();
	}

	static class Handler {

		final CountDownLatch gate = new CountDownLatch(1);

		final List<String> begun = new CopyOnWriteArrayList<>();

		final List<String> handled = new CopyOnWriteArrayList<>();

		volatile Set<String> failing = Set.of();

		@QueueListener(queues = "${queue}", concurrency = "1")
		void handle(String text) throws InterruptedException {
			this.begun.add(text);
			if (this.failing.contains(text)) {
				throw new IllegalStateException(text);
			}
			assertThat(this.gate.await(2, TimeUnit.MINUTES)).isTrue();
			this.handled.add(text);
		}

	}

}
