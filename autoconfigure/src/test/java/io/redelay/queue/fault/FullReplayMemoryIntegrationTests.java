package io.redelay.queue.fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.UnknownQueueException;
import io.redelay.queue.event.RedisRolledBackEvent;
import io.redelay.test.CapturedLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A Redis that goes back in time when two instances have more to repeat than they
 * remember: each has forgotten what is oldest, of whatever queue it is, sent or settled.
 */
@ExtendWith(CapturedLog.Extension.class)
class FullReplayMemoryIntegrationTests extends FaultTests {

	private static final int IN_HAND = 4;

	private static final int LARGE = 33;

	private static final int YOUNGER = 20;

	private static final int YOUNGEST = 30;

	@TempDir
	Path folder;

	@Override
	RedisServer startServer() {
		return RedisServer.builder().config("dir " + this.folder, "save \"\"").start();
	}

	@Test
	void onlyTheOldestIsForgottenByTwoInstancesWhoseMemoriesAreFull(CapturedLog log) {
		Member one = new Member("one");
		Member two = new Member("two");
		List<Member> members = List.of(one, two);
		one.sendTo(two, "in-hand", IN_HAND);
		two.sendTo(one, "in-hand", IN_HAND);
		members.forEach((member) -> await().until(() -> member.worker().handled.size() == IN_HAND));
		this.redis.command("SAVE");
		// The oldest that each remembers are settlements.
		members.forEach((member) -> member.worker().mayEnd.countDown());
		members.forEach(Member::awaitDrained);
		members.forEach((member) -> member.keep("large", LARGE, 512_000));
		members.forEach((member) -> member.keep("younger", YOUNGER, 100_000));
		one.sendTo(two, "youngest", YOUNGEST);
		two.sendTo(one, "youngest", YOUNGEST);
		members.forEach((member) -> await().until(() -> member.worker().handled.size() == IN_HAND + YOUNGEST));
		members.forEach(Member::awaitDrained);
		this.redis.kill();
		this.redis.restart();
		// Redis has forgotten the names of these queues as well.
		members.forEach((member) -> await().ignoreExceptionsInstanceOf(UnknownQueueException.class)
			.untilAsserted(() -> assertThat(member.kept("younger", YOUNGER)).as("younger").hasSize(YOUNGER)));
		members
			.forEach((member) -> await().ignoreExceptionsInstanceOf(UnknownQueueException.class).untilAsserted(() -> {
				List<Integer> large = member.kept("large", LARGE);
				assertThat(large).as("large").hasSizeBetween(LARGE - 6, LARGE - 1);
				assertThat(large).as("the youngest of them")
					.isEqualTo(IntStream.range(LARGE - large.size(), LARGE).boxed().toList());
				assertThat(member.missing()).as("counted").isEqualTo(LARGE - large.size());
			}));
		// What was in hand then is delivered again, for it was settled too long ago.
		members.forEach((member) -> await()
			.until(() -> member.worker().handled.stream().filter("in-hand"::equals).count() == 2 * IN_HAND));
		members.forEach((member) -> {
			member.awaitDrained();
			assertThat(member.worker().handled).filteredOn("youngest"::equals).hasSize(YOUNGEST);
			assertThat(member.worker().events).filteredOn((event) -> event.lane().equals("consumer"))
				.extracting(RedisRolledBackEvent::givenBack)
				.containsExactly((long) IN_HAND);
			assertThat(log.entriesWith("WARN", "'" + member.queue("large") + "'",
					member.missing() + " request(s) are" + " missing"))
				.hasSize(1);
			assertThat(log.entriesWith("WARN", "'" + member.work + "'", IN_HAND + " message(s) are delivered again"))
				.hasSize(1);
		});
	}

	/**
	 * An instance with a queue that it works off, and others that it sends to.
	 */
	private final class Member {

		final String work;

		private final String name;

		private final ConfigurableApplicationContext context;

		Member(String name) {
			this.name = name;
			this.work = queue("work");
			this.context = instance(Worker.class, REPLAY, "test.work=" + this.work);
		}

		String queue(String purpose) {
			return FullReplayMemoryIntegrationTests.this.queue + "-" + this.name + "-" + purpose;
		}

		Worker worker() {
			return this.context.getBean(Worker.class);
		}

		private QueueAdmin admin() {
			return this.context.getBean(QueueAdmin.class);
		}

		void sendTo(Member other, String payload, int count) {
			for (int i = 0; i < count; i++) {
				FaultTests.queue(this.context).send(other.work, payload);
			}
		}

		/**
		 * Sends what stays in its queue, a request a message.
		 */
		void keep(String purpose, int count, int size) {
			String payload = "x".repeat(size);
			for (int i = 0; i < count; i++) {
				FaultTests.queue(this.context)
					.send(OutboundMessage.to(queue(purpose), payload)
						.id(String.valueOf(i))
						.delay(Duration.ofMinutes(30)));
			}
		}

		List<Integer> kept(String purpose, int count) {
			return IntStream.range(0, count)
				.filter((i) -> admin().messages().find(queue(purpose), String.valueOf(i)).isPresent())
				.boxed()
				.toList();
		}

		/**
		 * How many requests to send this instance has forgotten.
		 */
		long missing() {
			return events("sender").mapToLong(RedisRolledBackEvent::missing).sum();
		}

		private Stream<RedisRolledBackEvent> events(String lane) {
			return worker().events.stream().filter((event) -> event.lane().equals(lane));
		}

		void awaitDrained() {
			await().untilAsserted(() -> {
				QueueInfo info = admin().queues().info(this.work);
				assertThat(info.ready() + info.scheduled() + info.inFlight() + info.dead()).as(info.toString())
					.isZero();
			});
		}

	}

	/**
	 * Writes down what it handles, and holds the first messages until they may end.
	 */
	static class Worker {

		final List<String> handled = new CopyOnWriteArrayList<>();

		final List<RedisRolledBackEvent> events = new CopyOnWriteArrayList<>();

		final CountDownLatch mayEnd = new CountDownLatch(1);

		@QueueListener(value = "${test.work}", concurrency = "" + IN_HAND)
		void handle(String payload) throws InterruptedException {
			this.handled.add(payload);
			this.mayEnd.await();
		}

		@EventListener
		void onRollback(RedisRolledBackEvent event) {
			this.events.add(event);
		}

	}

}
