package io.redelay.queue.admin;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for cancelling, redriving and delivering the same messages at the same time: of
 * each message one wins, and the others are notified.
 */
class MessageCommandRaceIntegrationTests {

	private static final int MESSAGES = 3000;

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	@Test
	void oneWins() throws Exception {
		Handler handler = new Handler();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			Set<String> removed = ConcurrentHashMap.newKeySet();
			Set<String> reported = ConcurrentHashMap.newKeySet();
			Set<String> redriven = ConcurrentHashMap.newKeySet();
			ExecutorService threads = Executors.newFixedThreadPool(6);
			List<Future<?>> work = new ArrayList<>();
			for (int first = 0; first < MESSAGES; first += 100) {
				List<String> ids = IntStream.range(first, first + 100).mapToObj((i) -> "m" + i).toList();
				application.queues()
					.sendAll(ids.stream().map((id) -> OutboundMessage.to(this.queue, id).id(id)).toList());
				Random random = new Random(first);
				work.add(threads.submit(() -> ids.forEach((id) -> {
					if (random.nextBoolean()) {
						cancel(admin, id, removed, reported);
					}
				})));
				work.add(threads.submit(() -> ids.forEach((id) -> redrive(admin, id, redriven))));
				work.add(threads.submit(() -> ids.forEach((id) -> redrive(admin, id, redriven))));
			}
			for (Future<?> each : work) {
				each.get(2, TimeUnit.MINUTES);
			}
			threads.shutdown();
			this.state.awaitDrained();

			Set<String> dead = new HashSet<>();
			for (int page = 0;; page++) {
				QueuePage letters = admin.deadLetters().browse(this.queue, DeadLetterFilter.all(), page, 500);
				letters.messages().forEach((letter) -> assertThat(dead.add(letter.id())).as(letter.id()).isTrue());
				if (!letters.hasNext()) {
					break;
				}
			}
			assertThat(dead).as("dead, though cancelled or handled")
				.noneMatch(removed::contains)
				.noneMatch(handler.done::contains);
			assertThat(handler.done).as("handled, though removed").noneMatch(removed::contains);
			Set<String> all = new HashSet<>(dead);
			all.addAll(handler.done);
			all.addAll(removed);
			// What was cancelled in a handler's hands may have failed there, and is gone.
			all.addAll(reported);
			assertThat(all).as("dead, handled or cancelled").hasSize(MESSAGES);
			assertThat(redriven).as("redriven").isNotEmpty();
			assertThat(removed).as("cancelled").isNotEmpty();
			assertThat(handler.doubled).as("handled twice").isEmpty();
		}
	}

	private void cancel(QueueAdmin admin, String id, Set<String> removed, Set<String> reported) {
		CommandOutcome result = admin.messages().cancel(this.queue, id);
		if (result.done() && result.state() == MessageState.IN_FLIGHT) {
			reported.add(id);
		}
		else if (result.done()) {
			removed.add(id);
		}
	}

	private void redrive(QueueAdmin admin, String id, Set<String> redriven) {
		try {
			admin.deadLetters().redrive(this.queue, id);
			redriven.add(id);
		}
		catch (QueueException ex) {
			assertThat(ex).hasMessageContaining("cannot be redriven");
		}
	}

	/**
	 * Rejects each message the first time, so that there is something to redrive.
	 */
	static class Handler {

		final Set<String> seen = ConcurrentHashMap.newKeySet();

		final Set<String> done = ConcurrentHashMap.newKeySet();

		final Set<String> doubled = ConcurrentHashMap.newKeySet();

		@QueueListener(queues = "${queue}", concurrency = "4")
		void handle(String text, DeliveryInfo delivery) {
			if (this.seen.add(text)) {
				throw new RejectMessageException("the first time");
			}
			if (!this.done.add(text)) {
				this.doubled.add(text);
			}
		}

	}

}
