package io.redelay.queue.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueException;
import io.redelay.queue.QueueFullException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueLimits.Origin;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.work.QueueReceiver;
import io.redelay.queue.work.ReceivedMessage;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for limits that are set at run time for all instances. No listener here looks by
 * itself: each is woken, or stays asleep.
 */
class QueueLimitsIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void saysWhatHoldsAndWhereItComesFrom() {
		try (ListenerApplication application = start(Declaring.class)) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			Awaitility.await()
				.until(() -> admin.limits().of(this.queue).of(QueueLimit.MAX_IN_FLIGHT).origin() != Origin.NONE);
			QueueLimits.Entry declared = admin.limits().of(this.queue).of(QueueLimit.MAX_IN_FLIGHT);
			assertThat(declared.origin()).isEqualTo(Origin.DECLARED);
			assertThat(declared.inForce()).containsExactly("3", "7");
			assertThat(declared.declared()).extracting(QueueLimits.Declared::by)
				.containsExactly(List.of("three"), List.of("seven"));
			assertThat(admin.limits().of(this.queue).of(QueueLimit.RATE_LIMIT).inForce()).isEmpty();
			assertThat(admin.limits().of(this.queue).changedBy()).isNull();

			QueueLimits set = admin.limits()
				.change(this.queue,
						LimitsChange.none()
							.maxInFlight(5)
							.rateLimit("100/1s bursting")
							.keyRateLimit(7, Duration.ofMinutes(1)));
			assertThat(set.of(QueueLimit.MAX_IN_FLIGHT).origin()).isEqualTo(Origin.SET);
			assertThat(set.of(QueueLimit.MAX_IN_FLIGHT).inForce()).containsExactly("5");
			assertThat(set.of(QueueLimit.MAX_IN_FLIGHT).declared()).hasSize(2);
			assertThat(set.of(QueueLimit.RATE_LIMIT).set()).isEqualTo("100/1s bursting");
			assertThat(set.of(QueueLimit.KEY_RATE_LIMIT).set()).isEqualTo("7/1m");
			assertThat(set.changedBy()).isEqualTo("tester");
			assertThat(set.changedAt()).isNotNull();

			QueueLimits one = admin.limits().change(this.queue, LimitsChange.none().clear(QueueLimit.MAX_IN_FLIGHT));
			assertThat(one.of(QueueLimit.MAX_IN_FLIGHT).inForce()).containsExactly("3", "7");
			assertThat(one.of(QueueLimit.RATE_LIMIT).set()).as("what a change does not name")
				.isEqualTo("100/1s bursting");
			assertThat(admin.limits().clear(this.queue).entries()).allMatch((entry) -> entry.set() == null);
			assertThat(admin.limits().of(this.queue).changedBy()).isNull();
			assertThat(redis.client().getBucket("redelay:{" + this.queue + "}:meta").isExists()).as("nothing is left")
				.isFalse();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void limitsOfALaterVersionStay() {
		try (ListenerApplication application = start()) {
			application.queues().send(this.queue, "a");
			QueueAdmin admin = application.bean(QueueAdmin.class);
			admin.limits().change(this.queue, LimitsChange.none().maxInFlight(5));
			var meta = redis.client().<String, String>getMap("redelay:{" + this.queue + "}:meta", StringCodec.INSTANCE);
			meta.put("limits", "new=3/x m=5~2 other");
			assertThat(admin.limits().of(this.queue).of(QueueLimit.MAX_IN_FLIGHT).set()).isEqualTo("5");
			admin.limits().change(this.queue, LimitsChange.none().keyMaxInFlight(2));
			assertThat(meta.get("limits")).isEqualTo("m=5~2 km=2 new=3/x other");
			admin.limits().clear(this.queue);
			assertThat(meta.get("limits")).isEqualTo("new=3/x other");
			admin.limits().of(this.queue);
			meta.fastRemove("limits", "limited");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatCannotHoldIsRefused() {
		try (ListenerApplication application = start()) {
			application.queues().send(this.queue, "a");
			QueueAdmin admin = application.bean(QueueAdmin.class);
			assertThatIllegalArgumentException().isThrownBy(() -> LimitsChange.none().maxInFlight(0))
				.withMessageContaining("'maxInFlight' must be 1 to 1000000: 0")
				.withMessageContaining("QueueAdmin.control().pause");
			assertThatIllegalArgumentException().isThrownBy(() -> LimitsChange.none().keyMaxInFlight(0))
				.withMessageContaining("QueueGates");
			assertThatIllegalArgumentException().isThrownBy(() -> LimitsChange.none().orderingKeyMaxLength(0))
				.withMessageContaining("QueueAdmin.control().close");
			assertThatIllegalArgumentException().isThrownBy(() -> LimitsChange.none().maxInFlight(1_000_001));
			assertThatIllegalArgumentException().isThrownBy(() -> LimitsChange.none().rateLimit("fast"))
				.withMessageContaining("'rateLimit'")
				.withMessageContaining("100/1s");
			assertThatIllegalArgumentException()
				.isThrownBy(() -> LimitsChange.none().rateLimit(0, Duration.ofSeconds(1)));
			assertThatIllegalArgumentException()
				.isThrownBy(() -> admin.limits().change(this.queue, LimitsChange.none()))
				.withMessageContaining("'change'");
			assertThatExceptionOfType(UnknownQueueException.class)
				.isThrownBy(() -> admin.limits().change(this.queue + "-unknown", LimitsChange.none().maxInFlight(1)));
			assertThat(admin.limits().of(this.queue).entries()).allMatch((entry) -> entry.origin() == Origin.NONE);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void twoInstancesHoldNoMoreThanIsSetAndClaimNothingAhead() {
		Held held = new Held();
		try (ListenerApplication one = start(held, Plain.class); ListenerApplication other = start(held, Plain.class)) {
			one.queues().send(this.queue, "first");
			Awaitility.await().until(() -> held.begun.size() == 1);
			one.bean(QueueAdmin.class).limits().change(this.queue, LimitsChange.none().maxInFlight(3));
			send(one, 40);
			Awaitility.await().until(() -> held.now.get() == 3);
			assertThat(one.bean(QueueAdmin.class).queues().info(this.queue).inFlight()).isEqualTo(3);
			for (int i = 0; i < 38; i++) {
				held.mayEnd.release();
				int ended = i + 1;
				Awaitility.await().until(() -> held.ended.size() == ended);
			}
			held.mayEnd.release(100);
			Awaitility.await().until(() -> held.ended.size() == 41);
			assertThat(held.most.get()).isEqualTo(3);
			assertThat(other.bean(QueueAdmin.class).limits().of(this.queue).of(QueueLimit.MAX_IN_FLIGHT).set())
				.isEqualTo("3");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aLimitThatIsLoweredInterruptsNothingAndOneThatIsRaisedWakesSleepingLanes() {
		Held held = new Held();
		try (ListenerApplication application = start(held, Plain.class)) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().send(this.queue, "first");
			Awaitility.await().until(() -> held.begun.size() == 1);
			held.mayEnd.release();
			Awaitility.await().until(() -> held.ended.size() == 1);
			admin.limits().change(this.queue, LimitsChange.none().maxInFlight(4));
			send(application, 20);
			Awaitility.await().until(() -> held.now.get() == 4);
			admin.limits().change(this.queue, LimitsChange.none().maxInFlight(2));
			assertThat(held.now.get()).as("nothing is interrupted").isEqualTo(4);
			held.mayEnd.release(2);
			Awaitility.await().until(() -> held.ended.size() == 3);
			Awaitility.await()
				.during(Duration.ofMillis(300))
				.until(() -> held.now.get() == 2 && held.begun.size() == 5);
			admin.limits().change(this.queue, LimitsChange.none().maxInFlight(6));
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> held.now.get() == 6);
			admin.limits().clear(this.queue);
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> held.now.get() == 10);
			held.mayEnd.release(100);
			Awaitility.await().until(() -> held.ended.size() == 21);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRateThatIsSetHoldsAndOneThatIsRemovedHoldsNothingUp() {
		Held held = new Held();
		held.mayEnd.release(1_000);
		try (ListenerApplication application = start(held, Plain.class)) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().send(this.queue, "first");
			Awaitility.await().until(() -> held.ended.size() == 1);
			admin.limits().change(this.queue, LimitsChange.none().rateLimit("3/1h bursting"));
			send(application, 10);
			Awaitility.await().until(() -> held.ended.size() == 4);
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> held.begun.size() == 4);
			admin.limits().change(this.queue, LimitsChange.none().rateLimit("5/1h bursting"));
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> held.begun.size() == 6);
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> held.begun.size() == 6);
			admin.limits().clear(this.queue);
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> held.ended.size() == 11);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aLimitOfEachKeyIsRaisedForKeysThatWaitForIt() {
		Held held = new Held();
		try (ListenerApplication application = start(held, Plain.class)) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().send(this.queue, "first");
			Awaitility.await().until(() -> held.begun.size() == 1);
			admin.limits().change(this.queue, LimitsChange.none().keyMaxInFlight(1));
			for (int i = 0; i < 3; i++) {
				for (String key : List.of("a", "b")) {
					application.queues().send(OutboundMessage.to(this.queue, key + i).fairnessKey(key));
				}
			}
			Awaitility.await().until(() -> held.begun.size() == 3);
			assertThat(held.begun).containsExactlyInAnyOrder("first", "a0", "b0");
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> held.begun.size() == 3);
			WaitingKeys keys = admin.queues().waitingKeys(this.queue);
			assertThat(keys.limits()).extracting(WaitingKeys.Limit::name, WaitingKeys.Limit::permits)
				.containsExactly(tuple("keyMaxInFlight", 1L));
			admin.limits().change(this.queue, LimitsChange.none().keyMaxInFlight(2));
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> held.begun.size() == 5);
			admin.limits().clear(this.queue);
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> held.begun.size() == 7);
			held.mayEnd.release(100);
			Awaitility.await().until(() -> held.ended.size() == 7);
		}
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsSetGoesBeforeWhatEachListenerDeclares() {
		Held held = new Held();
		try (ListenerApplication application = start(held, DeclaringAndHolding.class)) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().send(this.queue, "m");
			Awaitility.await().until(() -> held.begun.size() == 1);
			admin.limits().change(this.queue, LimitsChange.none().maxInFlight(6));
			send(application, 20);
			Awaitility.await().until(() -> held.now.get() == 6);
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> held.begun.size() == 6);
			admin.limits().clear(this.queue);
			held.mayEnd.release(4);
			Awaitility.await().until(() -> held.ended.size() == 4);
			Awaitility.await().until(() -> held.begun.size() == 7);
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> held.now.get() == 3);
			held.mayEnd.release(100);
			Awaitility.await().until(() -> held.ended.size() == 21);
		}
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void batchesAndReceiversHeedIt() {
		Held held = new Held();
		try (ListenerApplication application = start(held, Batches.class)) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().send(this.queue, "first");
			Awaitility.await().until(() -> held.begun.size() == 1);
			held.mayEnd.release();
			Awaitility.await().until(() -> held.ended.size() == 1);
			admin.limits().change(this.queue, LimitsChange.none().maxInFlight(3));
			send(application, 8);
			Awaitility.await().until(() -> held.begun.size() == 4);
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> held.begun.size() == 4);
			held.mayEnd.release(100);
			Awaitility.await().until(() -> held.ended.size() == 9);
			String pulled = TestRedis.queue();
			IntStream.range(0, 8).forEach((i) -> application.queues().send(pulled, "m" + i));
			admin.limits().change(pulled, LimitsChange.none().maxInFlight(3));
			QueueReceiver receiver = application.bean(QueueReceiver.class);
			List<ReceivedMessage<String>> received = new ArrayList<>(
					receiver.receive(pulled, String.class, 8, Duration.ofSeconds(5)));
			assertThat(received).hasSize(3);
			assertThat(receiver.receive(pulled, String.class, 8, Duration.ofMillis(200))).isEmpty();
			received.forEach(ReceivedMessage::acknowledge);
			assertThat(receiver.receive(pulled, String.class, 8, Duration.ofSeconds(30))).isNotEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aGroupOfATopicHasItsOwn() {
		Held held = new Held();
		try (ListenerApplication application = start(held, Subscribed.class)) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			String group = this.queue + "@group";
			Awaitility.await().until(() -> admin.queues().names().contains(group));
			application.queues().publish(this.queue, "first");
			Awaitility.await().until(() -> held.begun.size() == 1);
			admin.limits().change(group, LimitsChange.none().maxInFlight(2));
			IntStream.range(0, 8).forEach((i) -> application.queues().publish(this.queue, "m" + i));
			Awaitility.await().until(() -> held.now.get() == 2);
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> held.begun.size() == 2);
			held.mayEnd.release(100);
			Awaitility.await().until(() -> held.ended.size() == 9);
			assertThat(held.most.get()).isEqualTo(2);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void overPartitionsOnlyTheLengthOfLinesIsLimited() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.queues." + this.queue + ".partitions", "3")
			.start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().send(this.queue, "a");
			assertThatExceptionOfType(QueueException.class)
				.isThrownBy(() -> admin.limits()
					.change(this.queue, LimitsChange.none().maxInFlight(3).orderingKeyMaxLength(2)))
				.withMessageContaining("3 partitions")
				.withMessageContaining("maxInFlight")
				.withMessageNotContaining("orderingKeyMaxLength");
			admin.limits().change(this.queue, LimitsChange.none().orderingKeyMaxLength(1));
			for (int i = 0; i < 8; i++) {
				OutboundMessage message = OutboundMessage.to(this.queue, "m").orderingKey("key " + i);
				application.queues().send(message);
				assertThatExceptionOfType(QueueFullException.class)
					.isThrownBy(() -> application.queues().send(message));
			}
			assertThat(admin.limits().clear(this.queue).changedAt()).isNull();
			application.queues().send(OutboundMessage.to(this.queue, "m").orderingKey("key 1"));
		}
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void partitionsThatAreAddedHaveWhatIsSetEachForItself(CapturedLog log) {
		try (ListenerApplication one = start()) {
			one.queues().send(this.queue, "x");
			one.bean(QueueAdmin.class)
				.limits()
				.change(this.queue, LimitsChange.none().maxInFlight(2).orderingKeyMaxLength(1));
		}
		try (ListenerApplication three = ListenerApplication.on(redis)
			.with("redelay.queue.queues." + this.queue + ".partitions", "3")
			.start()) {
			three.queues().send(this.queue, "y");
			assertThat(log.entriesWith("'" + this.queue + "' gets 3 partitions")).hasSize(1);
			assertThat(redis.client().getMap("redelay:{" + this.queue + "~2}:meta", StringCodec.INSTANCE).readAllMap())
				.containsEntry("limits", "m=2")
				.containsEntry("line", "1");
			three.bean(QueueAdmin.class).limits().clear(this.queue);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theDiagnosisSaysThatALimitWasSetAndByWhichUser() {
		Held held = new Held();
		try (ListenerApplication application = start(held, Plain.class)) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().send(this.queue, "first");
			Awaitility.await().until(() -> held.begun.size() == 1);
			admin.limits().change(this.queue, LimitsChange.none().maxInFlight(1));
			send(application, 5);
			QueueFinding finding = Awaitility.await()
				.until(() -> admin.queues()
					.diagnose(this.queue)
					.findings()
					.stream()
					.filter((each) -> each.kind() == Kind.CONCURRENCY_LIMITED)
					.findFirst(), Optional::isPresent)
				.orElseThrow();
			assertThat(finding.text()).contains("'maxInFlight', set at run time for all instances by 'tester'")
				.contains("allows 1 in hand");
			assertThat(finding.mend()).contains("QueueAdmin.limits().change");
			assertThat(finding.figures()).containsEntry("origin", "SET").containsEntry("setBy", "tester");
			held.mayEnd.release(100);
		}
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void aChangeIsLoggedOnceAndOneThatChangesNothingIsNot(CapturedLog log) {
		try (ListenerApplication application = start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().send(this.queue, "a");
			admin.limits().change(this.queue, LimitsChange.none().maxInFlight(2));
			admin.limits().change(this.queue, LimitsChange.none().maxInFlight(2));
			admin.limits().clear(this.queue);
			admin.limits().clear(this.queue);
			assertThat(log.entriesWith("The limits of the queue '" + this.queue + "'")).hasSize(2)
				.first()
				.asString()
				.contains("maxInFlight from what is declared to 2");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void itHoldsForInstancesThatStartLaterAndGoesWithTheQueue() {
		try (ListenerApplication application = start()) {
			send(application, 5);
			application.bean(QueueAdmin.class).limits().change(this.queue, LimitsChange.none().maxInFlight(2));
		}
		Held held = new Held();
		try (ListenerApplication later = start(held, Plain.class)) {
			Awaitility.await().until(() -> held.now.get() == 2);
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> held.begun.size() == 2);
			held.mayEnd.release(100);
			Awaitility.await().until(() -> held.ended.size() == 5);
			assertThat(held.most.get()).isEqualTo(2);
		}
		try (ListenerApplication last = start()) {
			last.bean(QueueAdmin.class).control().deleteWithMessages(this.queue);
			last.bean(QueueScripts.class).names().addQueue(this.queue).join();
			assertThat(last.bean(QueueAdmin.class).limits().of(this.queue).changedAt()).isNull();
		}
	}

	private void send(ListenerApplication application, int count) {
		application.queues()
			.sendAll(IntStream.range(0, count).mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i)).toList());
	}

	private ListenerApplication start(Class<?>... listeners) {
		return start(new Held(), listeners);
	}

	private ListenerApplication start(Held held, Class<?>... listeners) {
		return ListenerApplication.on(redis)
			.beans(listeners)
			.bean(held)
			.with("test.queue", this.queue)
			.with("redelay.queue.instance-name", "tester")
			.with("redelay.queue.safety-poll-interval", "10m")
			.start();
	}

	/**
	 * What handlers have in hand.
	 */
	static final class Held {

		final List<String> begun = new CopyOnWriteArrayList<>();

		final List<String> ended = new CopyOnWriteArrayList<>();

		final AtomicInteger now = new AtomicInteger();

		final AtomicInteger most = new AtomicInteger();

		final Semaphore mayEnd = new Semaphore(0);

		void handle(String payload) throws InterruptedException {
			this.most.accumulateAndGet(this.now.incrementAndGet(), Math::max);
			this.begun.add(payload);
			this.mayEnd.acquire();
			this.now.decrementAndGet();
			this.ended.add(payload);
		}

	}

	static class Plain {

		private final Held held;

		Plain(Held held) {
			this.held = held;
		}

		@QueueListener(queues = "${test.queue}", concurrency = "10")
		void handle(String payload) throws InterruptedException {
			this.held.handle(payload);
		}

	}

	static class Declaring {

		@QueueListener(id = "three", queues = "${test.queue}", maxInFlight = "3")
		void three(String payload) {
		}

		@QueueListener(id = "seven", queues = "${test.queue}", maxInFlight = "7")
		void seven(String payload) {
		}

	}

	static class DeclaringAndHolding {

		private final Held held;

		DeclaringAndHolding(Held held) {
			this.held = held;
		}

		@QueueListener(id = "two", queues = "${test.queue}", maxInFlight = "2", concurrency = "10")
		void two(String payload) throws InterruptedException {
			this.held.handle(payload);
		}

		@QueueListener(id = "three", queues = "${test.queue}", maxInFlight = "3", concurrency = "10")
		void three(String payload) throws InterruptedException {
			this.held.handle(payload);
		}

	}

	static class Batches {

		private final Held held;

		Batches(Held held) {
			this.held = held;
		}

		@QueueListener(queues = "${test.queue}", batchSize = "5")
		void handle(List<String> payloads) throws InterruptedException {
			this.held.begun.addAll(payloads);
			this.held.mayEnd.acquire();
			this.held.ended.addAll(payloads);
		}

	}

	static class Subscribed {

		private final Held held;

		Subscribed(Held held) {
			this.held = held;
		}

		@QueueListener(topic = "${test.queue}", group = "group", concurrency = "10")
		void handle(String payload) throws InterruptedException {
			this.held.handle(payload);
		}

	}

}
