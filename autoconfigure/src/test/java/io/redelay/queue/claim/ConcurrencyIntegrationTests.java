package io.redelay.queue.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import io.redelay.test.extent.Extent;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;

/**
 * Tests for how many messages are handled, and held, at a time.
 */
class ConcurrencyIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void asManyHandlersRunAsMay() {
		Gated handler = new Gated();
		try (ListenerApplication application = start(handler, "4", "0")) {
			send(application, this.queue, 12);
			Awaitility.await().until(() -> handler.running.get() == 4);
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> handler.running.get() == 4);
			assertThat(this.state.held()).isEqualTo(4);
			handler.gate.release(100);
			this.state.awaitDrained();
			assertThat(handler.most.get()).isEqualTo(4);
			assertThat(handler.handled).hasSize(12);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void prefetchBoundsWhatIsHeldBeyondThat() {
		Gated handler = new Gated();
		try (ListenerApplication application = start(handler, "2", "3")) {
			send(application, this.queue, 20);
			Awaitility.await().until(() -> this.state.held() == 5 && handler.running.get() == 2);
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> this.state.held() == 5);
			assertThat(handler.running.get()).isEqualTo(2);
			handler.gate.release(100);
			this.state.awaitDrained();
			assertThat(handler.most.get()).isEqualTo(2);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void slowHandlersPrefetchNothing() {
		Gated handler = new Gated();
		try (ListenerApplication application = start(handler, "2", "")) {
			send(application, this.queue, 20);
			Awaitility.await().until(() -> handler.running.get() == 2);
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> this.state.held() == 2);
			handler.gate.release(1);
			Awaitility.await().until(() -> handler.handled.size() == 1);
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> this.state.held() <= 2);
			handler.gate.release(100);
			this.state.awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRangeGrowsWithTheLoadAndShrinksWithoutIt() {
		Gated handler = new Gated();
		try (ListenerApplication application = start(handler, "1-4", "0")) {
			send(application, this.queue, 20);
			Awaitility.await().until(() -> handler.running.get() == 4);
			handler.gate.release(100);
			this.state.awaitDrained();
			assertThat(handler.most.get()).isEqualTo(4);
			assertThat(handler.handled).hasSize(20);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBusyQueueDoesNotStarveTheOthersOfItsContainer() {
		List<String> queues = List.of(TestRedis.queue(), TestRedis.queue(), TestRedis.queue());
		Several handler = new Several();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queues", String.join(",", queues))
			.with("redelay.queue.listener.auto-startup", false)
			.start()) {
			queues.forEach((each) -> send(application, each, 200));
			application.container().start();
			queues.forEach((each) -> QueueState.of(redis, each).awaitDrained());
			assertThat(handler.most.get()).isEqualTo(1);
			assertThat(handler.handled).hasSize(600);
			// While all are busy, none is ahead of another by much.
			Map<String, Integer> counts = new HashMap<>();
			for (String each : handler.handled.subList(0, 400)) {
				counts.merge(each, 1, Integer::sum);
			}
			assertThat(counts).hasSize(3).allSatisfy((each, count) -> assertThat(count).isGreaterThanOrEqualTo(25));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void manyIdleQueuesShareOnePermit() {
		List<String> queues = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			queues.add(TestRedis.queue());
		}
		Several handler = new Several();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queues", String.join(",", queues))
			.start()) {
			for (String each : queues) {
				application.queues().send(each, "x", Duration.ofMillis(50));
				application.queues().send(each, "x");
			}
			Awaitility.await().until(() -> handler.handled.size() == 40);
			assertThat(handler.most.get()).isEqualTo(1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aSlowHandlerAmongQuickOnesKeepsNoOtherWaiting() {
		SlowAtTimes handler = new SlowAtTimes();
		try (ListenerApplication application = start(handler, "4", "20")) {
			int quick = 2000;
			send(application, this.queue, quick);
			await(handler, quick);
			for (int slow = 1; slow <= 3; slow++) {
				application.queues()
					.sendAll(List.of(OutboundMessage.to(this.queue, "slow"), OutboundMessage.to(this.queue, "quick")));
				await(handler, quick + slow);
				Awaitility.await().untilAtomic(handler.running, is(slow));
			}
			handler.end.countDown();
			this.state.awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerOfSeveralLeasesRunsOnce() throws Exception {
		Slow handler = new Slow();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.start();
				ListenerApplication other = ListenerApplication.on(redis)
					.bean(handler)
					.with("queue", this.queue)
					.start()) {
			application.queues().send(this.queue, "x");
			other.queues().send(this.queue, "y");
			assertThat(handler.begun.await(60, TimeUnit.SECONDS)).isTrue();
			Awaitility.await().during(Duration.ofSeconds(Extent.of(7, 10))).until(() -> handler.deliveries.size() == 2);
			handler.end.countDown();
			this.state.awaitDrained();
			assertThat(handler.deliveries).hasSize(2).allMatch((info) -> info.attempt() == 1);
		}
	}

	private static void await(SlowAtTimes handler, int quick) {
		Awaitility.await()
			.pollInterval(Duration.ofMillis(5))
			.untilAsserted(() -> assertThat(handler.quick).hasValue(quick));
	}

	private static void send(ListenerApplication application, String queue, int count) {
		List<OutboundMessage> messages = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			messages.add(OutboundMessage.to(queue, Integer.toString(i)));
		}
		application.queues().sendAll(messages);
	}

	private ListenerApplication start(Object handler, String concurrency, String prefetch) {
		return ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.with("concurrency", concurrency)
			.with("prefetch", prefetch)
			.start();
	}

	static class Counting {

		final AtomicInteger running = new AtomicInteger();

		final AtomicInteger most = new AtomicInteger();

		void begin() {
			this.most.accumulateAndGet(this.running.incrementAndGet(), Math::max);
		}

		void end() {
			this.running.decrementAndGet();
		}

	}

	static class Gated extends Counting {

		final Semaphore gate = new Semaphore(0);

		final List<String> handled = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", concurrency = "${concurrency}", prefetch = "${prefetch}")
		void handle(String text) throws InterruptedException {
			begin();
			try {
				assertThat(this.gate.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
				this.handled.add(text);
			}
			finally {
				end();
			}
		}

	}

	static class Several extends Counting {

		final List<String> handled = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queues}", concurrency = "1", prefetch = "0")
		void handle(DeliveryInfo info) {
			begin();
			this.handled.add(info.queue());
			end();
		}

	}

	static class SlowAtTimes extends Counting {

		final AtomicInteger quick = new AtomicInteger();

		final CountDownLatch end = new CountDownLatch(1);

		@QueueListener(queues = "${queue}", concurrency = "${concurrency}", prefetch = "${prefetch}")
		void handle(String text) throws InterruptedException {
			if (text.equals("slow")) {
				begin();
				assertThat(this.end.await(60, TimeUnit.SECONDS)).isTrue();
			}
			else {
				this.quick.incrementAndGet();
			}
		}

	}

	static class Slow {

		final List<DeliveryInfo> deliveries = new CopyOnWriteArrayList<>();

		final CountDownLatch begun = new CountDownLatch(2);

		final CountDownLatch end = new CountDownLatch(1);

		@QueueListener(queues = "${queue}", concurrency = "1", leaseTime = "3s")
		void handle(DeliveryInfo info) throws InterruptedException {
			this.deliveries.add(info);
			this.begun.countDown();
			assertThat(this.end.await(60, TimeUnit.SECONDS)).isTrue();
		}

	}

}
