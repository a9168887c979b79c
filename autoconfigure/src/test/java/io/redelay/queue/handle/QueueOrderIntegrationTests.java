package io.redelay.queue.handle;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueFinding;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests of listeners whose queues have weights, or a strict order. They count messages,
 * not time.
 */
class QueueOrderIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String first = TestRedis.queue();

	private final String second = TestRedis.queue();

	private final String third = TestRedis.queue();

	private ListenerApplication.Builder application(Ordered listener, String concurrency) {
		return ListenerApplication.on(redis)
			.with("first", this.first)
			.with("second", this.second)
			.with("third", this.third)
			.with("concurrency", concurrency)
			.with("redelay.queue.listener.auto-startup", "false")
			.bean(listener);
	}

	private void fill(ListenerApplication application, String queue, int messages) {
		application.queues().sendAll(Collections.nCopies(messages, OutboundMessage.to(queue, "x")));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void inAStrictOrderAQueueGoesWhenThoseBeforeItHaveNothing() {
		verifyStrict(null);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void soItDoesWhereMessagesAreClaimedAhead() {
		verifyStrict(50);
	}

	private void verifyStrict(Integer prefetch) {
		Strict listener = new Strict();
		ListenerApplication.Builder builder = application(listener, "1");
		if (prefetch != null) {
			builder.with("redelay.queue.listener.prefetch", prefetch);
		}
		try (ListenerApplication application = builder.start()) {
			fill(application, this.third, 50);
			fill(application, this.second, 100);
			fill(application, this.first, 300);
			listener.gate.release(1000);
			application.container().start();
			Awaitility.await().until(() -> listener.handled.size() == 450);
			List<String> expected = new ArrayList<>(Collections.nCopies(300, this.first));
			expected.addAll(Collections.nCopies(100, this.second));
			expected.addAll(Collections.nCopies(50, this.third));
			assertThat(listener.handled).isEqualTo(expected);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatComesToTheFirstQueueGoesBeforeWhatIsClaimedOfTheSecond() {
		Strict listener = new Strict();
		try (ListenerApplication application = application(listener, "1").with("redelay.queue.listener.prefetch", 100)
			.start()) {
			fill(application, this.second, 300);
			application.container().start();
			listener.gate.release(20);
			Awaitility.await().until(() -> listener.handled.size() == 20 && listener.gate.getQueueLength() == 1);
			Awaitility.await().until(() -> QueueState.of(redis, this.second).held() > 50);
			fill(application, this.first, 200);
			Awaitility.await().until(() -> QueueState.of(redis, this.first).held() > 0);
			listener.gate.release(1000);
			Awaitility.await().until(() -> listener.handled.size() == 500);
			// The one that was being handled, and then all of the first queue.
			assertThat(listener.handled.subList(21, 221)).containsOnly(this.first);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aQueueThatIsPausedOrGoneLetsThoseBehindItGo() {
		Strict listener = new Strict();
		listener.gate.release(10_000);
		try (ListenerApplication application = application(listener, "2").start()) {
			fill(application, this.first, 10);
			fill(application, this.second, 10);
			QueueAdmin admin = application.bean(QueueAdmin.class);
			admin.control().pause(this.first);
			application.container().start();
			Awaitility.await().until(() -> Collections.frequency(listener.handled, this.second) == 10);
			assertThat(listener.handled).doesNotContain(this.first);
			admin.control().resume(this.first);
			Awaitility.await().until(() -> Collections.frequency(listener.handled, this.first) == 10);
			application.container().pause();
			fill(application, this.third, 10);
			application.container().resume();
			Awaitility.await().until(() -> listener.handled.size() == 30);
			admin.control().deleteWithMessages(this.first);
			fill(application, this.third, 10);
			Awaitility.await().until(() -> listener.handled.size() == 40);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void severalHandlersAndBatchesKeepNothingBack() {
		StrictBatches listener = new StrictBatches();
		listener.gate.release(10_000);
		try (ListenerApplication application = application(listener, "1-4").start()) {
			application.container().start();
			for (int i = 0; i < 300; i++) {
				application.queues().sendAsync(OutboundMessage.to(List.of(this.first, this.second).get(i % 2), "x"));
			}
			Awaitility.await().until(() -> listener.handled.size() == 300);
			QueueState.of(redis, this.first).awaitDrained();
			QueueState.of(redis, this.second).awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theDiagnosisNamesTheQueueThatGoesFirst() {
		Strict listener = new Strict();
		try (ListenerApplication application = application(listener, "1").start()) {
			fill(application, this.first, 50);
			fill(application, this.second, 5);
			application.container().start();
			listener.gate.release(2);
			QueueAdmin admin = application.bean(QueueAdmin.class);
			Awaitility.await()
				.atMost(Duration.ofSeconds(40))
				.untilAsserted(
						() -> assertThat(admin.queues().diagnose(this.second).findings()).anySatisfy((finding) -> {
							assertThat(finding.kind()).isEqualTo(QueueFinding.Kind.OTHER_QUEUE_FIRST);
							assertThat(finding.headline()).contains("waits behind").contains(this.first);
						}));
			assertThat(admin.queues().diagnose(this.first).findings()).extracting(QueueFinding::kind)
				.doesNotContain(QueueFinding.Kind.OTHER_QUEUE_FIRST);
			listener.gate.release(1000);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void queuesHaveTurnsByTheirWeights() {
		verifyShares(new Weighted(), null, 75, 25);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void soTheyHaveWhereMessagesAreClaimedAhead() {
		verifyShares(new Weighted(), 40, 75, 25);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aWeightOfTheConfigurationGoesBeforeTheAnnotation() {
		ListenerApplication.Builder builder = application(new Weighted(), "1");
		builder.with("redelay.queue.queues." + this.second + ".weight", "9");
		try (ListenerApplication application = builder.start()) {
			assertThat(application.container().getSettings().order().weight(this.first)).isEqualTo(3);
			assertThat(application.container().getSettings().order().weight(this.second)).isEqualTo(9);
		}
	}

	private void verifyShares(Weighted listener, Integer prefetch, int ofFirst, int ofSecond) {
		ListenerApplication.Builder builder = application(listener, "1");
		if (prefetch != null) {
			builder.with("redelay.queue.listener.prefetch", prefetch);
		}
		try (ListenerApplication application = builder.start()) {
			fill(application, this.first, 600);
			fill(application, this.second, 600);
			listener.gate.release(440);
			application.container().start();
			Awaitility.await().until(() -> listener.handled.size() == 440);
			// Not the first ones: one queue is claimed from before the other.
			List<String> counted = listener.handled.subList(40, 440);
			assertThat(Collections.frequency(counted, this.first)).isBetween(4 * ofFirst - 20, 4 * ofFirst + 20);
			assertThat(Collections.frequency(counted, this.second)).isBetween(4 * ofSecond - 20, 4 * ofSecond + 20);
			listener.gate.release(2000);
			Awaitility.await().until(() -> listener.handled.size() == 1200);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aQuietQueueOfSmallWeightWaitsForAFreeHandlerOnly() {
		Weighted listener = new Weighted();
		try (ListenerApplication application = application(listener, "2").with("redelay.queue.listener.prefetch", 100)
			.start()) {
			application.container().start();
			listener.gate.release(30);
			fill(application, this.first, 500);
			Awaitility.await().until(() -> listener.handled.size() == 30 && listener.gate.getQueueLength() == 2);
			fill(application, this.second, 1);
			Awaitility.await().until(() -> QueueState.of(redis, this.second).held() == 1);
			listener.gate.release(8);
			Awaitility.await().until(() -> listener.handled.size() == 38);
			assertThat(listener.handled).contains(this.second);
			listener.gate.release(1000);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatCannotBeMeantIsRefused() {
		assertThatThrownBy(() -> application(new TooFew(), "1").start()).hasStackTraceContaining("queueWeights")
			.hasStackTraceContaining("there are 1 for 2 queues");
		assertThatThrownBy(() -> application(new Both(), "1").start()).hasStackTraceContaining("which knows no shares");
		assertThatThrownBy(() -> application(new Alone(), "1").start()).hasStackTraceContaining("there is no order");
		assertThatThrownBy(() -> application(new Zero(), "1").start()).hasStackTraceContaining("'0' is not a weight");
		assertThatThrownBy(() -> application(new Unknown(), "1").start())
			.hasStackTraceContaining("'sometimes' is not turns or strict");
	}

	abstract static class Ordered {

		final List<String> handled = new CopyOnWriteArrayList<>();

		final Semaphore gate = new Semaphore(0);

		void handle(String queue) {
			try {
				assertThat(this.gate.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			this.handled.add(queue);
		}

	}

	static class Strict extends Ordered {

		@QueueListener(queues = { "${first}", "${second}", "${third}" }, queueOrder = "strict",
				concurrency = "${concurrency}")
		void handle(DeliveryInfo info) {
			handle(info.queue());
		}

	}

	static class StrictBatches extends Ordered {

		@QueueListener(queues = { "${first}", "${second}" }, queueOrder = "strict", concurrency = "${concurrency}",
				batchSize = "7", batchTimeout = "5ms")
		void handle(List<String> batch) {
			batch.forEach(this::handle);
		}

	}

	/**
	 * Takes longer for a message than Redis for a claim.
	 */
	static class Weighted extends Ordered {

		@QueueListener(queues = { "${first}", "${second}" }, queueWeights = { "3", "1" },
				concurrency = "${concurrency}")
		void handle(DeliveryInfo info) {
			LockSupport.parkNanos(2_000_000);
			handle(info.queue());
		}

	}

	static class TooFew extends Ordered {

		@QueueListener(queues = { "${first}", "${second}" }, queueWeights = "3")
		void handle(DeliveryInfo info) {
		}

	}

	static class Both extends Ordered {

		@QueueListener(queues = { "${first}", "${second}" }, queueWeights = { "3", "1" }, queueOrder = "strict")
		void handle(DeliveryInfo info) {
		}

	}

	static class Alone extends Ordered {

		@QueueListener(queues = "${first}", queueOrder = "strict")
		void handle(DeliveryInfo info) {
		}

	}

	static class Zero extends Ordered {

		@QueueListener(queues = { "${first}", "${second}" }, queueWeights = "1,0")
		void handle(DeliveryInfo info) {
		}

	}

	static class Unknown extends Ordered {

		@QueueListener(queues = { "${first}", "${second}" }, queueOrder = "sometimes")
		void handle(DeliveryInfo info) {
		}

	}

}
