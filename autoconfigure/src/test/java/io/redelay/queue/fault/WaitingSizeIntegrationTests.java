package io.redelay.queue.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.SendResult;
import io.redelay.test.TestRedis;
import io.redelay.test.redis.TcpFaultProxy;
import io.redelay.test.redis.TcpFaultProxy.Direction;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How much waits for a Redis that does not answer.
 */
class WaitingSizeIntegrationTests extends FaultTests {

	private static final Duration SOON = Duration.ofMinutes(2);

	private static final int SIZE = 10_000;

	private final String payload = "x".repeat(SIZE);

	@Test
	void messagesThatWaitAreBoundedBySizeOverAllQueues() {
		try (TcpFaultProxy proxy = TcpFaultProxy.to(this.redis)) {
			QueueOperations queue = queue(instance(Object.class, "spring.data.redis.url=" + proxy.uri(),
					"redelay.queue.send.max-waiting-size=" + 10 * SIZE + "B"));
			queue.send(this.queue, "first");
			proxy.hold(Direction.TO_CLIENT);
			List<CompletableFuture<SendResult>> sent = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				sent.add(queue
					.sendAsync(OutboundMessage.to((i % 2 == 0) ? this.queue : this.queue + "-2", this.payload)));
			}
			// Each is a little larger than its payload.
			assertThat(sent.subList(9, 20)).allSatisfy((each) -> assertThat(each).failsWithin(SOON)
				.withThrowableThat()
				.withCauseExactlyInstanceOf(MessageSendException.class)
				.withMessageContaining("redelay.queue.send.max-waiting-size"));
			assertThat(sent.subList(0, 9)).noneMatch(CompletableFuture::isDone);
			proxy.release(Direction.TO_CLIENT);
			assertThat(sent.subList(0, 9)).allSatisfy((each) -> assertThat(each).succeedsWithin(SOON));
			assertThat(queue.sendAsync(OutboundMessage.to(this.queue, this.payload))).succeedsWithin(SOON);
		}
	}

	@Test
	void whatIsSentAloneIsNeverTooMuch() {
		QueueOperations queue = queue(instance(Object.class, "redelay.queue.send.max-waiting-size=1KB"));
		queue.send(this.queue, this.payload);
		assertThat(queue.sendAll(
				IntStream.range(0, 100).mapToObj((number) -> OutboundMessage.to(this.queue, this.payload)).toList()))
			.hasSize(100);
	}

	@Test
	void manyQueuesAtOnceAreNotTooMuchForOneCall() {
		QueueOperations queue = queue(instance(Object.class, "redelay.queue.send.max-waiting-size=20MB"));
		List<OutboundMessage> messages = IntStream.range(0, 30)
			.mapToObj((number) -> OutboundMessage.to(TestRedis.queue(), "x".repeat(1_000_000)))
			.toList();
		assertThat(queue.sendAll(messages)).hasSize(30);
	}

}
