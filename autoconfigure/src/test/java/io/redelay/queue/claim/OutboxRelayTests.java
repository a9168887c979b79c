package io.redelay.queue.claim;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.redelay.queue.message.OutboxNote;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.OutboxNoteHandler;
import io.redelay.queue.script.OutboxScript;
import io.redelay.test.CapturedLog;
import io.redelay.test.IdleStore;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OutboxRelay}.
 */
class OutboxRelayTests {

	private static final String QUEUE = "source of the outbox";

	private final VirtualTime time = new VirtualTime();

	private final Outbox outbox = new Outbox();

	private final Targets targets = new Targets();

	private final OutboxRelay relay = new OutboxRelay(this.outbox.scripts(), QUEUE, this.time, List.of(this.targets));

	@Test
	void notesAreRelayedInTheirOrderAndRemoved() {
		note("a 1", "b 1", "a 2", "a 3", "b 2");
		assertThat(this.targets.relayed).containsExactly("a 1", "a 2", "a 3", "b 1", "b 2");
		assertThat(this.outbox.notes).isEmpty();
		assertThat(this.outbox.requests).isEqualTo(2);
	}

	@Test
	void aTargetThatTakesNoneHoldsUpNoOther() {
		this.targets.closed.add("closed");
		for (int i = 0; i < 100; i++) {
			note("closed " + i, "open " + i);
			this.time.advance(Duration.ofMillis(30));
			assertThat(this.targets.relayed).hasSize(i + 1).endsWith("open " + i);
		}
	}

	@Test
	void eachTargetHasAPauseOfItsOwn() {
		this.targets.closed.addAll(Set.of("long closed", "closed for a moment"));
		note("long closed 1");
		this.time.advance(Duration.ofMinutes(2));
		note("closed for a moment 1");
		this.targets.closed.remove("closed for a moment");
		this.time.advance(Duration.ofMillis(1050));
		assertThat(this.targets.relayed).containsExactly("closed for a moment 1");
		int tries = this.targets.tries.get("long closed");
		this.time.advance(Duration.ofMinutes(5));
		assertThat(this.targets.tries.get("long closed") - tries).isBetween(9, 11);
	}

	@Test
	void aHeadOfThousandsForATargetThatTakesNoneIsReadOnce() {
		this.targets.closed.add("closed");
		this.outbox.add(IntStream.range(0, 5000).mapToObj((i) -> "closed " + i).toList());
		note("open 1");
		assertThat(this.targets.relayed).containsExactly("open 1");
		assertThat(this.outbox.notesRead).isEqualTo(5001);
		assertThat(this.targets.tries).containsEntry("closed", 1);
		for (int i = 2; i < 100; i++) {
			this.time.advance(Duration.ofSeconds(3));
			note("open " + i);
			this.time.advance(Duration.ofMillis(30));
			assertThat(this.targets.relayed).hasSize(i);
		}
		assertThat(this.outbox.notesRead).isLessThan(5001 + 98 + 30);
	}

	@Test
	void theNotesForATargetLeaveInTheirOrderWhenItTakesThemAgain() {
		this.targets.closed.add("closed");
		List<String> waiting = IntStream.range(0, 777).mapToObj((i) -> "closed " + i).toList();
		for (int i = 0; i < waiting.size(); i += 7) {
			this.outbox.add(waiting.subList(i, i + 7));
			note("open " + i);
			this.time.advance(Duration.ofMillis(100));
		}
		this.targets.relayed.clear();
		this.targets.closed.clear();
		this.time.advance(Duration.ofSeconds(31));
		assertThat(this.targets.relayed).containsExactlyElementsOf(waiting);
		assertThat(this.outbox.notes).isEmpty();
		note("closed 777");
		assertThat(this.targets.relayed).endsWith("closed 777");
	}

	@Test
	void whatATargetDoesNotTakeOfSeveralComesFirstTheNextTime() {
		this.targets.room.put("full", 2);
		note("full 1", "full 2", "full 3", "full 4");
		assertThat(this.targets.relayed).containsExactly("full 1", "full 2");
		this.targets.room.put("full", 10);
		this.time.advance(Duration.ofSeconds(1));
		assertThat(this.targets.relayed).containsExactly("full 1", "full 2", "full 3", "full 4");
		assertThat(this.outbox.notes).isEmpty();
	}

	@Test
	void aTargetThatDoesNotAnswerHoldsUpOthersForASecond() {
		this.targets.silent.add("silent");
		note("silent 1", "open 1");
		this.time.advance(Duration.ofMillis(500));
		note("silent 2", "open 2");
		this.time.advance(Duration.ofMillis(510));
		assertThat(this.targets.relayed).containsExactly("open 1", "open 2");
		note("open 3");
		this.time.advance(Duration.ofMillis(30));
		assertThat(this.targets.relayed).endsWith("open 3");
		this.targets.answer("silent");
		this.time.runReady();
		assertThat(this.targets.relayed).endsWith("silent 1", "silent 2");
		assertThat(this.outbox.notes).isEmpty();
	}

	@Test
	void whatWaitsForRedisGoesOnWhenItIsBack() {
		this.outbox.away = true;
		note("open 1");
		this.time.advance(Duration.ofMinutes(3));
		this.outbox.away = false;
		assertThat(this.targets.relayed).isEmpty();
		this.relay.redisIsBack();
		this.time.runReady();
		assertThat(this.targets.relayed).containsExactly("open 1");
	}

	@Test
	void aTargetThatWasAwayIsTriedAtOnceWhenRedisIsBack() {
		this.targets.closed.add("away");
		note("away 1");
		this.time.advance(Duration.ofMinutes(3));
		this.targets.closed.clear();
		this.relay.redisIsBack();
		this.time.runReady();
		assertThat(this.targets.relayed).containsExactly("away 1");
	}

	@Test
	void aNoteThatIsThereAgainSinceRedisWentBackIsRelayed() {
		this.targets.closed.add("closed");
		note("open 1", "closed 1");
		this.outbox.goesBack(() -> {
			note("open 2", "open 3");
			this.time.advance(Duration.ofSeconds(5));
		}, "open 4", "open 5", "open 6");
		this.time.advance(Duration.ofSeconds(31));
		assertThat(this.targets.relayed).contains("open 4", "open 5", "open 6");
		assertThat(this.outbox.notes).hasSize(1);
	}

	@Test
	void moreTargetsThatTakeNoneThanAreKnownAtATimeAreAllServedInTheEnd() {
		int count = OutboxRelay.MOST_BEHIND + 500;
		List<String> notes = IntStream.range(0, count).mapToObj((i) -> "target" + i + " 1").toList();
		notes.forEach((note) -> this.targets.closed.add(targetOf(note)));
		this.outbox.add(notes);
		this.relay.look();
		this.time.advance(Duration.ofMinutes(1));
		assertThat(this.targets.tries.size()).isBetween(OutboxRelay.MOST_BEHIND, OutboxRelay.MOST_BEHIND + 100);
		this.targets.closed.clear();
		this.time.advance(Duration.ofMinutes(2));
		assertThat(this.targets.relayed).containsExactlyInAnyOrderElementsOf(notes);
		assertThat(this.outbox.notes).isEmpty();
	}

	@Test
	void anOutboxThatAnotherInstanceRelaysIsLookedAtAgainAfterwards() {
		this.outbox.busy = Duration.ofSeconds(4);
		note("open 1");
		this.outbox.busy = null;
		this.time.advance(Duration.ofSeconds(4));
		assertThat(this.targets.relayed).isEmpty();
		this.time.advance(Duration.ofMillis(1));
		assertThat(this.targets.relayed).containsExactly("open 1");
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void theLogNamesTheTargetOnceUntilItTakesNotesAgain(CapturedLog log) {
		this.targets.closed.add("orders-of-" + log.hashCode());
		String target = this.targets.closed.iterator().next();
		note(target + " 1", "open 1");
		this.time.advance(Duration.ofMinutes(3));
		assertThat(log.entriesWith("WARN", QUEUE, target)).singleElement().asString().contains("it is CLOSED");
		this.targets.closed.clear();
		this.time.advance(Duration.ofSeconds(30));
		assertThat(log.entriesWith("INFO", QUEUE, target)).hasSize(1);
	}

	@Test
	void nothingIsScheduledWhenAllIsRelayed() {
		this.targets.closed.add("closed");
		note("closed 1", "open 1");
		this.targets.closed.clear();
		this.time.advance(Duration.ofMinutes(1));
		assertThat(this.outbox.notes).isEmpty();
		int requests = this.outbox.requests;
		this.time.advance(Duration.ofHours(1));
		assertThat(this.outbox.requests).isEqualTo(requests);
		assertThat(this.time.scheduled()).isZero();
	}

	private void note(String... texts) {
		this.outbox.add(List.of(texts));
		this.relay.look();
		this.time.runReady();
	}

	private static String targetOf(String text) {
		return text.substring(0, text.lastIndexOf(' '));
	}

	/**
	 * An outbox as the script keeps it.
	 */
	private final class Outbox extends IdleStore {

		private final NavigableMap<String, OutboxNote> notes = new TreeMap<>();

		private long nextId;

		private long lastNumber;

		private int requests;

		private int notesRead;

		private boolean away;

		private Duration busy;

		void add(List<String> texts) {
			texts.forEach((text) -> {
				String id = "%012d-0".formatted(++this.nextId);
				this.notes.put(id, new OutboxNote(id, 'm', text.getBytes(StandardCharsets.UTF_8)));
			});
		}

		/**
		 * Forgets what happens meanwhile, but for the notes that it added.
		 */
		void goesBack(Runnable meanwhile, String... added) {
			add(List.of(added));
			Map<String, OutboxNote> before = new HashMap<>(this.notes);
			long number = this.lastNumber;
			meanwhile.run();
			OutboxRelayTests.this.targets.relayed.clear();
			this.notes.clear();
			this.notes.putAll(before);
			this.lastNumber = number;
		}

		@Override
		protected CompletableFuture<OutboxScript.Reply> outbox(String queue, OutboxScript.Request request) {
			CompletableFuture<OutboxScript.Reply> reply = new CompletableFuture<>();
			OutboxRelayTests.this.time.execute(() -> {
				if (this.away) {
					reply.completeExceptionally(new StoreException("thrown by a test", null, true));
				}
				else {
					reply.complete(answer(request));
				}
			});
			return reply;
		}

		private OutboxScript.Reply answer(OutboxScript.Request request) {
			this.requests++;
			boolean unbroken = this.lastNumber == request.number() - 1;
			this.lastNumber = request.number();
			request.relayed().forEach(this.notes::remove);
			if (this.busy != null) {
				return new OutboxScript.Reply(this.busy, 0, false, List.of());
			}
			List<OutboxNote> page = new ArrayList<>();
			int bytes = 0;
			NavigableMap<String, OutboxNote> rest = (request.after() != null)
					? this.notes.tailMap(request.after(), false) : this.notes;
			for (OutboxNote note : rest.values()) {
				if (page.size() == 100 || bytes >= request.maxBytes()
						|| (request.until() != null && note.id().compareTo(request.until()) > 0)) {
					break;
				}
				page.add(note);
				bytes += note.text().length;
			}
			this.notesRead += page.size();
			return new OutboxScript.Reply(null, this.notes.size(), unbroken, page);
		}

	}

	/**
	 * Takes notes, of which the first word is the target.
	 */
	private static final class Targets implements OutboxNoteHandler {

		private final List<String> relayed = new ArrayList<>();

		private final Map<String, Integer> tries = new HashMap<>();

		private final Set<String> closed = new HashSet<>();

		private final Set<String> silent = new HashSet<>();

		private final Map<String, Integer> room = new HashMap<>();

		private final Map<String, Runnable> answers = new HashMap<>();

		@Override
		public char kind() {
			return 'm';
		}

		@Override
		public String target(OutboxNote note) {
			return targetOf(text(note));
		}

		@Override
		public CompletableFuture<Relayed> relay(String queue, List<OutboxNote> notes) {
			String target = target(notes.get(0));
			this.tries.merge(target, 1, Integer::sum);
			if (this.closed.contains(target)) {
				return CompletableFuture.completedFuture(new Relayed(List.of(), "it is CLOSED"));
			}
			if (this.silent.contains(target)) {
				CompletableFuture<Relayed> answer = new CompletableFuture<>();
				this.answers.put(target, () -> answer.complete(take(notes)));
				return answer;
			}
			int most = Math.min(notes.size(), this.room.getOrDefault(target, Integer.MAX_VALUE));
			take(notes.subList(0, most));
			return CompletableFuture
				.completedFuture(new Relayed(notes.subList(0, most), (most < notes.size()) ? "it is FULL" : null));
		}

		void answer(String target) {
			this.silent.remove(target);
			this.answers.remove(target).run();
		}

		private Relayed take(List<OutboxNote> notes) {
			notes.forEach((note) -> this.relayed.add(text(note)));
			return new Relayed(notes, null);
		}

		private static String text(OutboxNote note) {
			return new String(note.text(), StandardCharsets.UTF_8);
		}

	}

}
