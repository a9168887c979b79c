package io.redelay.queue.claim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.messaging.Message;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what a message of a quiet queue, or of a quiet fairness key, waits for while
 * another queue of the same listener, or another key, has thousands waiting. They count
 * messages, not time.
 */
class QueueFairnessIntegrationTests {

	private static final int PREFETCH = 200;

	private static final int BACKLOG = 2000;

	/**
	 * How many calls of the handler there are before it waits.
	 */
	private static final int BEFORE = 50;

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String hot = TestRedis.queue();

	private final List<String> quiet = List.of(TestRedis.queue(), TestRedis.queue(), TestRedis.queue());

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aQuietQueueWaitsForWhatIsHandledAndForNothingThatWaits() {
		verifyFairness(new Single(), "1", 1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void soItDoesWhereSeveralHandlersRun() {
		verifyFairness(new Single(), "4", 1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void soItDoesWhereTheirNumberMoves() {
		verifyFairness(new Single(), "1-4", 1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void soItDoesWhereHandlersReturnFutures() {
		verifyFairness(new Futures(), "4", 1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void soItDoesWhereHandlersTakeBatches() {
		verifyFairness(new Batches(), "2", 10);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFairnessKeyWaitsForNothingThatIsClaimedOfAnother() {
		Keyed handler = new Keyed();
		handler.hot = "loud";
		QueueState state = QueueState.of(redis, this.hot);
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queues", this.hot)
			.with("concurrency", "2")
			.with("redelay.queue.listener.prefetch", PREFETCH)
			.start()) {
			try {
				handler.gate.release(BEFORE);
				application.queues()
					.sendAll(Collections.nCopies(BACKLOG, OutboundMessage.to(this.hot, "loud").fairnessKey("loud")));
				Awaitility.await().until(() -> handler.gate.getQueueLength() == 2 && state.held() == PREFETCH + 2);
				this.quiet
					.forEach((each) -> application.queues().send(OutboundMessage.to(this.hot, each).fairnessKey(each)));
				int released = 0;
				while (handler.handled.size() < this.quiet.size()) {
					assertThat(released++).as("messages of the other key").isLessThan(PREFETCH / 4);
					handler.gate.release();
					Awaitility.await().until(() -> handler.gate.getQueueLength() == 2 && state.held() == PREFETCH + 2);
				}
			}
			finally {
				handler.gate.release(BACKLOG);
			}
			state.awaitDrained();
			assertThat(handler.handled).containsExactlyInAnyOrderElementsOf(this.quiet);
		}
	}

	/**
	 * Has handlers of the hot queue wait for a gate, while as much of that queue is held
	 * as may be. Then a message is sent to each of the quiet ones, and the gate lets
	 * through so few of the hot ones that each handler ends twice at most.
	 */
	private void verifyFairness(Gated handler, String concurrency, int batchSize) {
		List<String> queues = new ArrayList<>(this.quiet);
		queues.add(this.hot);
		handler.hot = this.hot;
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queues", String.join(",", queues))
			.with("concurrency", concurrency)
			.with("redelay.queue.listener.prefetch", PREFETCH)
			.with("redelay.queue.listener.batch-size", batchSize)
			.start()) {
			verifyFairness(application, handler);
			QueueState.of(redis, this.hot).awaitDrained();
		}
	}

	private void verifyFairness(ListenerApplication application, Gated handler) {
		try {
			int handlers = application.container().getSettings().concurrency().most();
			handler.gate.release(BEFORE);
			application.queues().sendAll(Collections.nCopies(BACKLOG, OutboundMessage.to(this.hot, "x")));
			Awaitility.await()
				.until(() -> handler.gate.getQueueLength() == handlers
						&& QueueState.of(redis, this.hot).held() > PREFETCH / 2);
			this.quiet.forEach((each) -> application.queues().send(each, "x"));
			this.quiet.forEach((each) -> Awaitility.await()
				.untilAsserted(() -> assertThat(QueueState.of(redis, each).held()).as("claimed meanwhile").isOne()));
			handler.gate.release(2 * handlers);
			Awaitility.await()
				.untilAsserted(() -> assertThat(handler.handled).as("of the quiet ones")
					.containsExactlyInAnyOrderElementsOf(this.quiet));
		}
		finally {
			handler.gate.release(BACKLOG);
		}
	}

	abstract static class Gated {

		final Semaphore gate = new Semaphore(0);

		final List<String> handled = new CopyOnWriteArrayList<>();

		volatile String hot = "";

		void handle(String queue) {
			if (!queue.equals(this.hot)) {
				this.handled.add(queue);
				return;
			}
			try {
				assertThat(this.gate.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	static class Single extends Gated {

		@QueueListener(queues = "${queues}", concurrency = "${concurrency}")
		void handle(DeliveryInfo info) {
			handle(info.queue());
		}

	}

	static class Keyed extends Gated {

		@QueueListener(queues = "${queues}", concurrency = "${concurrency}")
		void handleText(String text) {
			handle(text);
		}

	}

	static class Futures extends Gated {

		@QueueListener(queues = "${queues}", concurrency = "${concurrency}")
		CompletableFuture<Void> handle(DeliveryInfo info) {
			return CompletableFuture.runAsync(() -> handle(info.queue()), (task) -> new Thread(task).start());
		}

	}

	static class Batches extends Gated {

		@QueueListener(queues = "${queues}", concurrency = "${concurrency}")
		void handle(List<Message<String>> batch) {
			List<String> queues = batch.stream()
				.map((message) -> message.getHeaders().get(QueueHeaders.QUEUE, String.class))
				.distinct()
				.toList();
			assertThat(queues).as("queues of a batch").hasSize(1);
			handle(queues.get(0));
		}

	}

}
