package io.redelay.queue.send;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueException;
import io.redelay.queue.QueueFullException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.BulkAction;
import io.redelay.queue.admin.BulkJob;
import io.redelay.queue.admin.BulkRequest;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.LimitsChange;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueLimit;
import io.redelay.queue.admin.QueueLimits;
import io.redelay.queue.admin.RedriveResult;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.work.NextStep;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the longest line that an ordering key may have.
 */
class OrderingKeyLengthIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final Handler handler = new Handler();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void oneTooManyOfAKeyIsRefusedAndOtherKeysAreNot() {
		try (ListenerApplication application = start(2)) {
			send(application, "a", "a1");
			send(application, "a", "a2");
			assertThatExceptionOfType(QueueFullException.class).isThrownBy(() -> send(application, "a", "a3"))
				.withMessageContaining("the line of the ordering key 'a' in the queue '" + this.queue + "' has 2")
				.withMessageContaining("ordering-key-max-length")
				.satisfies((ex) -> assertThat(ex.orderingKey()).isEqualTo("a"));
			send(application, "b", "b1");
			application.queues().send(this.queue, "without a key");
			assertThat(admin(application).queues().info(this.queue).ready()).isEqualTo(4);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsSentTogetherIsRefusedTogetherAndWhatIsSentAtTheSameTimeSharesTheRoom() {
		try (ListenerApplication application = start(3)) {
			assertThatExceptionOfType(QueueFullException.class).isThrownBy(() -> application.queues()
				.sendAll(List.of(of("a", "1"), of("a", "2"), of("b", "1"), of("a", "3"), of("a", "4"))));
			assertThat(admin(application).queues().info(this.queue).ready()).isZero();
			List<Boolean> sent = IntStream.range(0, 50)
				.mapToObj((i) -> application.queues().sendAsync(of("a", "m" + i)))
				.toList()
				.stream()
				.map((each) -> each.handle((result, failure) -> failure == null).join())
				.toList();
			assertThat(sent).filteredOn((done) -> done).hasSize(3);
			assertThat(admin(application).queues().info(this.queue).ready()).isEqualTo(3);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aDuplicateIsNoneTooManyAndWhatIsDueLaterJoinsThen() {
		try (ListenerApplication application = start(1)) {
			application.queues().send(of("a", "first").id("x"));
			assertThat(application.queues().send(of("a", "again").id("x")).duplicate()).isTrue();
			application.queues().send(of("a", "later").delay(Duration.ofHours(1)));
			assertThat(admin(application).queues().info(this.queue).scheduled()).isOne();
			assertThatExceptionOfType(QueueFullException.class).isThrownBy(() -> send(application, "a", "now"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsInHandOrWaitsForAnotherAttemptIsInTheLine() {
		try (ListenerApplication application = start(2, this.handler)) {
			send(application, "a", "fails");
			Awaitility.await().until(() -> this.handler.begun.contains("fails"));
			send(application, "a", "behind");
			assertThatExceptionOfType(QueueFullException.class).isThrownBy(() -> send(application, "a", "third"));
			this.handler.mayEnd.release();
			Awaitility.await().until(() -> admin(application).queues().info(this.queue).scheduled() == 1);
			assertThatExceptionOfType(QueueFullException.class).as("it has its turn while it waits")
				.isThrownBy(() -> send(application, "a", "third"));
			admin(application).messages()
				.cancel(this.queue,
						admin(application).messages()
							.browse(this.queue, MessageState.SCHEDULED, 0, 1)
							.messages()
							.get(0)
							.uid());
			send(application, "a", "third");
			this.handler.mayEnd.release(10);
			Awaitility.await().until(() -> this.handler.begun.containsAll(List.of("behind", "third")));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsSetAtRunTimeGoesBeforeTheProperty() {
		try (ListenerApplication application = start(2); ListenerApplication other = start(0)) {
			QueueAdmin admin = admin(application);
			send(application, "a", "a1");
			assertThat(admin.limits().of(this.queue).of(QueueLimit.ORDERING_KEY_MAX_LENGTH).inForce())
				.containsExactly("2");
			assertThat(admin.limits().of(this.queue).of(QueueLimit.ORDERING_KEY_MAX_LENGTH).origin())
				.isEqualTo(QueueLimits.Origin.DECLARED);
			admin.limits().change(this.queue, LimitsChange.none().orderingKeyMaxLength(1));
			assertThatExceptionOfType(QueueFullException.class).isThrownBy(() -> send(application, "a", "a2"));
			assertThatExceptionOfType(QueueFullException.class).as("for senders without the property")
				.isThrownBy(() -> send(other, "a", "a2"));
			admin.limits().change(this.queue, LimitsChange.none().orderingKeyMaxLength(3));
			send(application, "a", "a2");
			send(application, "a", "a3");
			assertThatExceptionOfType(QueueFullException.class).isThrownBy(() -> send(application, "a", "a4"));
			admin.limits().clear(this.queue);
			assertThatExceptionOfType(QueueFullException.class).isThrownBy(() -> send(application, "a", "a4"));
			send(other, "a", "a4");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void itHoldsBesideALimitOfTheQueue() {
		try (ListenerApplication application = builder(2).with("redelay.queue.queues." + this.queue + ".max-length", 3)
			.with("redelay.queue.queues." + this.queue + ".overflow", "drop-oldest")
			.start()) {
			send(application, "a", "a1");
			send(application, "a", "a2");
			assertThatExceptionOfType(QueueFullException.class).isThrownBy(() -> send(application, "a", "a3"))
				.satisfies((ex) -> assertThat(ex.orderingKey()).isEqualTo("a"));
			send(application, "b", "b1");
			send(application, "b", "b2");
			assertThat(admin(application).queues().info(this.queue).ready()).isEqualTo(3);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aGroupWhoseLineIsFullRefusesForAllGroups() {
		String topic = this.queue;
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.queues[" + topic + "@small].ordering-key-max-length", 1)
			.start()) {
			for (String group : List.of("small", "large")) {
				application.bean(QueueScripts.class)
					.topics()
					.subscribe()
					.run(topic, group, Duration.ZERO, DeclaredFilter.NONE)
					.join();
			}
			application.queues().publish(of("a", "first"));
			assertThatExceptionOfType(QueueFullException.class)
				.isThrownBy(() -> application.queues().publish(of("a", "second")))
				.withMessageContaining("published to no group")
				.withMessageContaining(topic + "@small")
				.satisfies((ex) -> assertThat(ex.orderingKey()).isEqualTo("a"));
			assertThat(admin(application).queues().info(topic + "@large").ready()).isOne();
			application.queues().publish(of("b", "first"));
			application.queues().publish(topic, "without a key");
			assertThat(admin(application).queues().info(topic + "@large").ready()).as("a copy each").isEqualTo(3);
			admin(application).limits().change(topic + "@large", LimitsChange.none().orderingKeyMaxLength(1));
			admin(application).limits().change(topic + "@small", LimitsChange.none().orderingKeyMaxLength(9));
			assertThatExceptionOfType(QueueFullException.class)
				.isThrownBy(() -> application.queues().publish(of("a", "second")))
				.withMessageContaining(topic + "@large");
			application.queues().publish(topic, "without a key");
			application.queues().publish(of("c", "first").id("c"));
			application.queues().publish(OutboundMessage.to(topic, "with an id").id("d"));
			assertThat(admin(application).queues().info(topic + "@large").ready()).as("a copy each").isEqualTo(6);
			assertThat(admin(application).queues().info(topic + "@small").ready()).isEqualTo(6);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aDeadMessageWhoseLineIsFullStaysDead() {
		try (ListenerApplication application = start(2, this.handler)) {
			QueueAdmin admin = admin(application);
			this.handler.mayEnd.release(100);
			for (int i = 0; i < 4; i++) {
				int died = i + 1;
				send(application, "a", "dies " + i);
				Awaitility.await().until(() -> admin.queues().info(this.queue).dead() == died);
			}
			admin.control().pause(this.queue);
			RedriveResult result = admin.deadLetters().redrive(this.queue, DeadLetterFilter.all());
			assertThat(result.redriven()).isEqualTo(2);
			assertThat(result.refused()).hasSize(2);
			String uid = result.refused().get(0);
			assertThatExceptionOfType(QueueException.class)
				.isThrownBy(() -> admin.deadLetters().redrive(this.queue, uid))
				.withMessageContaining("the line of its ordering key is as long as it may be");
			String job = admin.jobs().start(this.queue, BulkRequest.of(BulkAction.REDRIVE, MessageFilter.all())).id();
			BulkJob done = Awaitility.await()
				.until(() -> admin.jobs().find(job).orElseThrow(), (each) -> each.state() != BulkJob.State.RUNNING);
			assertThat(done.done()).isZero();
			assertThat(admin.queues().info(this.queue).dead()).isEqualTo(2);
			admin.limits().change(this.queue, LimitsChange.none().orderingKeyMaxLength(3));
			admin.deadLetters().redrive(this.queue, uid);
			assertThat(admin.queues().info(this.queue).dead()).isEqualTo(1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aNextStepWaitsInTheOutboxUntilTheLineIsShorter() {
		String next = TestRedis.queue();
		Stepping stepping = new Stepping(next);
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(stepping)
			.with("test.queue", this.queue)
			.with("redelay.queue.queues." + next + ".ordering-key-max-length", 1)
			.start()) {
			QueueAdmin admin = admin(application);
			application.queues().send(OutboundMessage.to(next, "first").orderingKey("k"));
			application.queues().send(this.queue, "step");
			Awaitility.await().until(() -> stepping.handled.contains("step"));
			Awaitility.await().during(Duration.ofMillis(500)).until(() -> admin.queues().info(next).ready() == 1);
			admin.control().purge(next, MessageState.READY);
			Awaitility.await()
				.atMost(Duration.ofMinutes(2))
				.until(() -> admin.messages()
					.browse(next, MessageState.READY, 0, 5)
					.messages()
					.stream()
					.anyMatch((message) -> String.valueOf(message.payloadAsText()).contains("step")));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMemberOfABundleIsPendingUntilTheLineIsShorter() {
		String done = TestRedis.queue();
		try (ListenerApplication application = start(1)) {
			QueueAdmin admin = admin(application);
			application.bean(MessageBundles.class)
				.send(BundleCallback.to(done), List.of(of("a", "1"), of("a", "2"), of("b", "1")));
			Awaitility.await().ignoreExceptions().until(() -> admin.queues().info(this.queue).ready() == 2);
			Awaitility.await().during(Duration.ofMillis(500)).until(() -> admin.queues().info(this.queue).ready() == 2);
			assertThat(admin.queues().bundles(done)).singleElement()
				.satisfies((bundle) -> assertThat(bundle.pending()).isEqualTo(3));
			admin.control().purge(this.queue, MessageState.READY);
			Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> admin.queues().info(this.queue).ready() == 1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsHandedOnToADeadLetterQueueIsNotRefused() {
		String dead = TestRedis.queue();
		this.handler.mayEnd.release(100);
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(this.handler)
			.with("test.queue", this.queue)
			.with("redelay.queue.queues." + this.queue + ".dead-letter-queue", dead)
			.with("redelay.queue.queues." + dead + ".ordering-key-max-length", 1)
			.start()) {
			application.queues().send(OutboundMessage.to(dead, "there").orderingKey("a"));
			admin(application).limits().change(dead, LimitsChange.none().orderingKeyMaxLength(1));
			IntStream.range(0, 3).forEach((i) -> send(application, "a", "dies " + i));
			Awaitility.await().until(() -> admin(application).queues().info(dead).ready() == 4);
		}
	}

	private OutboundMessage of(String key, String payload) {
		return OutboundMessage.to(this.queue, payload).orderingKey(key);
	}

	private void send(ListenerApplication application, String key, String payload) {
		application.queues().send(of(key, payload));
	}

	private static QueueAdmin admin(ListenerApplication application) {
		return application.bean(QueueAdmin.class);
	}

	private ListenerApplication start(int most, Object... listeners) {
		ListenerApplication.Builder builder = builder(most);
		for (Object listener : listeners) {
			builder.bean(listener);
		}
		return builder.start();
	}

	private ListenerApplication.Builder builder(int most) {
		ListenerApplication.Builder builder = ListenerApplication.on(redis)
			.with("test.queue", this.queue)
			.with("redelay.queue.listener.backoff.initial-interval", "1h");
		return (most > 0) ? builder.with("redelay.queue.queues." + this.queue + ".ordering-key-max-length", most)
				: builder;
	}

	static final class Handler {

		final List<String> begun = new CopyOnWriteArrayList<>();

		final Semaphore mayEnd = new Semaphore(0);

		@QueueListener("${test.queue}")
		void handle(String payload) throws InterruptedException {
			this.begun.add(payload);
			this.mayEnd.acquire();
			if (payload.startsWith("dies")) {
				throw new RejectMessageException("It dies");
			}
			if (payload.startsWith("fails")) {
				throw new IllegalStateException("It fails");
			}
		}

	}

	static final class Stepping {

		final List<String> handled = new CopyOnWriteArrayList<>();

		private final String next;

		Stepping(String next) {
			this.next = next;
		}

		@QueueListener("${test.queue}")
		void handle(String payload, NextStep step) {
			step.send(OutboundMessage.to(this.next, payload).orderingKey("k"));
			this.handled.add(payload);
		}

	}

}
