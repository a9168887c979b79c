package io.redelay.queue.admin;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for looking at many large messages, on a Redis that closes the connection of a
 * reader that would get more at once than what a claim or a look may bring.
 */
class LargeMessagesIntegrationTests {

	private static final int MESSAGES = 16;

	private static final String PAYLOAD = "x".repeat(900_000);

	private static RedisServer server;

	private static RedissonClient client;

	private final String queue = TestRedis.queue();

	private ListenerApplication application;

	private QueueAdmin admin;

	@BeforeAll
	static void start() {
		server = RedisServer.start();
		server.command("CONFIG", "SET", "client-output-buffer-limit", "normal 8mb 8mb 0");
		client = TestRedis.connect(server.uri());
	}

	@AfterAll
	static void stop() {
		client.shutdown();
		server.close();
	}

	@AfterEach
	void close() {
		this.application.close();
		server.command("FLUSHALL");
	}

	@Test
	void deadMessagesAreCountedByCauseWithoutTheirBodies() {
		start(ListenerApplication.on(client).bean(new Undertaker()));
		die();
		long before = sentBytes();
		assertThat(this.admin.deadLetters().counts(this.queue)).singleElement()
			.satisfies((counted) -> assertThat(counted.count()).isEqualTo(MESSAGES));
		assertThat(sentBytes() - before).isLessThan(PAYLOAD.length());
	}

	@Test
	void deadMessagesAreFoundPageByPage() {
		start(ListenerApplication.on(client).bean(new Undertaker()));
		die();
		List<QueuedMessage> all = this.admin.deadLetters()
			.browse(this.queue, DeadLetterFilter.all(), 0, 500)
			.messages();
		assertThat(all.stream().map((each) -> each.payload().length)).hasSize(MESSAGES).containsOnly(PAYLOAD.length());
		assertThat(all.stream().map(QueuedMessage::uid)).doesNotHaveDuplicates();
		QueuePage second = this.admin.deadLetters().browse(this.queue, DeadLetterFilter.all(), 1, 10);
		assertThat(second.messages().stream().map(QueuedMessage::uid))
			.containsExactlyElementsOf(all.stream().map(QueuedMessage::uid).skip(10).toList());
		assertThat(second.hasNext()).isFalse();
		long before = sentBytes();
		assertThat(this.admin.deadLetters()
			.browse(this.queue, DeadLetterFilter.all().text("something else"), 0, 500)
			.messages()).isEmpty();
		assertThat(sentBytes() - before).isLessThan(PAYLOAD.length());
	}

	@Test
	void deadMessagesAreRedrivenWithoutBeingRead() {
		start(ListenerApplication.on(client).bean(new Undertaker()));
		die();
		this.admin.control().pause(this.queue);
		long before = sentBytes();
		assertThat(this.admin.deadLetters().redrive(this.queue, DeadLetterFilter.all()).redriven()).isEqualTo(MESSAGES);
		assertThat(sentBytes() - before).isLessThan(PAYLOAD.length());
		QueueInfo info = this.admin.queues().info(this.queue);
		assertThat(info.ready()).isEqualTo(MESSAGES);
		assertThat(info.dead()).isZero();
	}

	@Test
	void deadMessagesAreHandedOn() {
		String target = TestRedis.queue();
		start(ListenerApplication.on(client).bean(new Undertaker()));
		die();
		this.application.close();
		start(ListenerApplication.on(client)
			.bean(new Undertaker())
			.with("redelay.queue.queues." + this.queue + ".dead-letter-queue", target));
		Awaitility.await()
			.untilAsserted(() -> assertThat(
					this.admin.queues().names().contains(target) ? this.admin.queues().info(target).ready() : 0)
				.isEqualTo(MESSAGES));
		Awaitility.await().untilAsserted(() -> assertThat(this.admin.queues().info(this.queue).dead()).isZero());
	}

	@Test
	void waitingMessagesAreBrowsedPageByPage() {
		start(ListenerApplication.on(client));
		send();
		List<QueuedMessage> all = this.admin.messages().browse(this.queue, MessageState.READY, 0, 500).messages();
		assertThat(all).hasSize(MESSAGES);
		QueuePage first = this.admin.messages().browse(this.queue, MessageState.READY, 0, 10);
		assertThat(first.hasNext()).isTrue();
		QueuePage second = this.admin.messages().browse(this.queue, MessageState.READY, 1, 10);
		assertThat(second.hasNext()).isFalse();
		assertThat(IntStream.range(0, MESSAGES)
			.mapToObj((i) -> ((i < 10) ? first.messages().get(i) : second.messages().get(i - 10)).uid()))
			.containsExactlyElementsOf(all.stream().map(QueuedMessage::uid).toList());
	}

	@Test
	void aCountReadsNoBody() {
		start(ListenerApplication.on(client));
		this.application.queues().send(this.queue, PAYLOAD);
		this.admin.queues().info(this.queue);
		long before = sentBytes();
		assertThat(this.admin.queues().info(this.queue).oldestReadyAge()).isPositive();
		assertThat(sentBytes() - before).isLessThan(10_000);
	}

	@Test
	void aLookThatTimesOutIsNotRepeated() {
		start(ListenerApplication.on(client));
		this.application.queues().send(this.queue, "a");
		ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
		RedissonClient impatient = TestRedis.connect(server.uri(), Duration.ofMillis(200));
		try {
			AdminScripts store = new AdminScripts(impatient, "redelay", Duration.ofSeconds(20), timer,
					ReplayMemory.NONE, new RedisAvailability(timer));
			// A busy machine may need longer for the first ones.
			Awaitility.await()
				.ignoreExceptions()
				.until(() -> store.messages().browse(this.queue, MessageState.READY, 0, 10).join() != null);
			server.command("CONFIG", "RESETSTAT");
			server.command("CLIENT", "PAUSE", "2000", "ALL");
			CompletableFuture<?> look = store.messages().browse(this.queue, MessageState.READY, 0, 10);
			assertThatExceptionOfType(CompletionException.class).isThrownBy(look::join)
				.havingCause()
				.isExactlyInstanceOf(StoreException.class)
				.withMessageContaining("Browsing the queue '" + this.queue + "'")
				.withMessageContaining("no answer in time");
			assertThat(looks()).isOne();
		}
		finally {
			impatient.shutdown();
			timer.shutdownNow();
		}
	}

	private void start(ListenerApplication.Builder application) {
		this.application = application.with("queue", this.queue).with("redelay.queue.resend-timeout", "2s").start();
		this.admin = this.application.bean(QueueAdmin.class);
	}

	private void die() {
		send();
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.admin.queues().info(this.queue).dead()).isEqualTo(MESSAGES));
	}

	private void send() {
		for (int i = 0; i < MESSAGES; i++) {
			this.application.queues().send(OutboundMessage.to(this.queue, PAYLOAD));
		}
	}

	private static long sentBytes() {
		return number("stats", "total_net_output_bytes:(\\d+)");
	}

	/**
	 * How often Redis browsed, which counts what is overdue; it may also have been asked
	 * whether it is there.
	 */
	private static long looks() {
		return number("commandstats", "cmdstat_zcount:calls=(\\d+)");
	}

	private static long number(String section, String pattern) {
		Matcher matcher = Pattern.compile(pattern).matcher(String.valueOf(server.command("INFO", section)));
		return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
	}

	static class Undertaker {

		@QueueListener(queues = "${queue}")
		void handle(String text) {
			throw new RejectMessageException("no");
		}

	}

}
