package io.redelay.queue.script.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.redelay.queue.request.StoreException;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueRound}.
 */
class QueueRoundTests {

	private final VirtualTime time = new VirtualTime();

	private final List<String> log = new ArrayList<>();

	private final List<String> seen = new ArrayList<>();

	private final QueueRound round = new QueueRound(this.time, this.log::add);

	@Test
	void aQueueThatFailsKeepsTheRoundFromNoOther() {
		CompletableFuture<Void> done = this.round.go(Set.of("a", "b", "c", "d"), (queue) -> switch (queue) {
			case "a" -> throw new IllegalStateException("thrown");
			case "b" -> failed("failed");
			default -> see(queue);
		});
		assertThat(done).isCompleted();
		assertThat(this.seen).containsExactly("c", "d");
	}

	@Test
	void aQueueThatFailsLaterKeepsTheRoundFromNoOther() {
		CompletableFuture<Void> first = new CompletableFuture<>();
		CompletableFuture<Void> done = this.round.go(Set.of("a", "b"),
				(queue) -> queue.equals("a") ? first : see(queue));
		assertThat(done).isNotDone();
		first.completeExceptionally(new IllegalStateException("later"));
		assertThat(done).isCompleted();
		assertThat(this.seen).containsExactly("b");
	}

	@Test
	void eachRoundBeginsBehindTheOneBefore() {
		for (int i = 0; i < 4; i++) {
			this.round.go(Set.of("a", "b", "c"), this::see);
		}
		assertThat(this.seen).containsExactly("a", "b", "c", "b", "c", "a", "c", "a", "b", "a", "b", "c");
		this.seen.clear();
		this.round.go(Set.of("b"), this::see);
		this.round.go(Set.of(), this::see);
		this.round.go(Set.of("a", "b"), this::see);
		assertThat(this.seen).containsExactly("b", "a", "b");
	}

	@Test
	void failuresAreLoggedOnceInAPause() {
		for (int i = 0; i < 3; i++) {
			this.round.go(Set.of("a", "b"), (queue) -> failed("no " + queue));
		}
		assertThat(this.log).containsExactly("the queue 'a', which is tried again: no a");
		this.time.advance(QueueRound.LOG_PAUSE);
		this.round.go(Set.of("a", "b"), (queue) -> failed("no " + queue));
		assertThat(this.log).hasSize(2);
	}

	@Test
	void aRedisThatIsAwayIsNotLoggedHere() {
		this.round.go(Set.of("a"),
				(queue) -> CompletableFuture.failedFuture(new StoreException("no answer", null, true)));
		assertThat(this.log).isEmpty();
	}

	@Test
	void manyQueuesThatAnswerAtOnceTakeNoStack() {
		Set<String> many = new TreeSet<>(IntStream.range(0, 100_000).mapToObj(Integer::toString).toList());
		assertThat(this.round.go(many, this::see)).isCompleted();
		assertThat(this.seen).hasSize(many.size());
	}

	private CompletableFuture<Void> see(String queue) {
		this.seen.add(queue);
		return CompletableFuture.completedFuture(null);
	}

	private static CompletableFuture<Void> failed(String why) {
		return CompletableFuture.failedFuture(new IllegalStateException(why));
	}

}
