package io.redelay.lock.redisson;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisException;
import org.redisson.client.WriteRedisConnectionException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ResentRequests}: which failures end the repetition of a request.
 */
class ResentRequestsTests {

	private final VirtualTime time = new VirtualTime();

	private final ResentRequests requests = new ResentRequests(this.time);

	@Test
	void aFailureOfTheClientIsRepeated() {
		for (Throwable failure : List.of(new NullPointerException("thrown by a test"),
				new RedisException("MOVED redirection loop detected. Node a has further redirect to b"),
				new RedisConnectionException("refused by a test"))) {
			assertThat(send(List.of(CompletableFuture.failedFuture(failure), CompletableFuture.completedFuture("OK"))))
				.isCompletedWithValue("OK");
		}
	}

	@Test
	void anErrorReplyIsTheAnswer() {
		RedisException reply = new RedisException("NOPERM no permission. channel: [id: 0x1] command: (EVAL)");
		assertThat(send(List.of(CompletableFuture.failedFuture(reply)))).isCompletedExceptionally();
	}

	@Test
	void whatTheConnectionMayHaveCarriedMayHaveArrived() {
		assertThat(ResentRequests.mayHaveArrived(new NullPointerException("thrown by a test"))).isTrue();
		assertThat(ResentRequests.mayHaveArrived(new WriteRedisConnectionException("closed"))).isTrue();
		assertThat(ResentRequests.mayHaveArrived(new RedisConnectionException("never opened"))).isFalse();
	}

	private CompletableFuture<String> send(List<CompletableFuture<String>> answers) {
		Queue<CompletableFuture<String>> left = new ArrayDeque<>(answers);
		CompletableFuture<String> result = this.requests.send((again) -> left.remove(), Duration.ofSeconds(30));
		this.time.advance(Duration.ofSeconds(5));
		return result;
	}

}
