package io.redelay.queue.fault;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

import io.redelay.autoconfigure.QueueServer;
import io.redelay.autoconfigure.QueueServerFactory;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueBackendException;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Applications that close while Redis is away: no caller waits for an answer any more.
 */
class ClosingIntegrationTests extends FaultTests {

	private static final Duration SOON = Duration.ofMinutes(2);

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void noCallerWaitsForRedisAnyLonger() {
		ConfigurableApplicationContext application = instance(Listener.class, "redelay.queue.resend-timeout=5m");
		QueueAdmin admin = application.getBean(QueueAdmin.class);
		QueueOperations operations = queue(application);
		operations.send(this.queue, "first");
		this.redis.kill();
		CompletableFuture<?> send = elsewhere(() -> operations.send(this.queue, "second"));
		CompletableFuture<?> sendAsync = operations.sendAsync(OutboundMessage.to(this.queue, "third"));
		CompletableFuture<?> other = operations.sendAsync(OutboundMessage.to(TestRedis.queue(), "fourth"));
		CompletableFuture<?> info = elsewhere(() -> admin.queues().info(this.queue));
		CompletableFuture<?> cancel = elsewhere(() -> admin.messages().cancel(this.queue, "id"));
		await().pollDelay(Duration.ofSeconds(1)).until(() -> !send.isDone() && !other.isDone() && !info.isDone());
		CompletableFuture<?> closed = elsewhere(() -> {
			application.close();
			return true;
		});
		assertThat(closed).succeedsWithin(SOON);
		assertFailsWith(send, MessageSendException.class);
		assertFailsWith(sendAsync, MessageSendException.class);
		assertFailsWith(other, MessageSendException.class);
		assertFailsWith(info, QueueBackendException.class);
		assertFailsWith(cancel, QueueBackendException.class);
		assertFailsWith(elsewhere(() -> operations.send(this.queue, "late")), MessageSendException.class);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void noCallerWaitsForAnotherServerWhoseClientStaysOpen() {
		ConfigurableApplicationContext application = instance(Object.class, "redelay.queue.resend-timeout=5m");
		try (RedisServer other = RedisServer.start()) {
			RedissonClient client = TestRedis.connect(other.uri(), Duration.ofSeconds(1));
			QueueServer server = application.getBean(QueueServerFactory.class).create(client);
			server.template().send(this.queue, "first");
			other.kill();
			CompletableFuture<?> send = elsewhere(() -> server.template().send(this.queue, "second"));
			await().pollDelay(Duration.ofSeconds(2)).until(() -> !send.isDone());
			application.close();
			assertFailsWith(send, MessageSendException.class);
			client.shutdown();
		}
	}

	private static void assertFailsWith(CompletableFuture<?> future, Class<? extends Exception> type) {
		assertThat(future.handle((value, ex) -> (ex instanceof CompletionException) ? ex.getCause() : ex))
			.succeedsWithin(SOON)
			.isInstanceOf(type);
	}

	/**
	 * Calls on a thread that ends only if the call does.
	 */
	private static <T> CompletableFuture<T> elsewhere(Supplier<T> call) {
		return CompletableFuture.supplyAsync(call, (task) -> {
			Thread thread = new Thread(task);
			thread.setDaemon(true);
			thread.start();
		});
	}

	/**
	 * Does nothing.
	 */
	static class Listener {

		@QueueListener("${test.queue}")
		void handle(String payload) {
		}

	}

}
