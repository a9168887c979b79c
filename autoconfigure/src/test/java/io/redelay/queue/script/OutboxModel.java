package io.redelay.queue.script;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.message.OutboxNote;
import io.redelay.queue.wire.StoreDump;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a queue is meant to have in its outbox, and what it remembers of the messages that
 * were handed over to it.
 */
final class OutboxModel {

	private final List<Note> notes = new ArrayList<>();

	private final Map<String, Long> handed = new HashMap<>();

	private String relaying;

	private long until;

	private final Map<String, Long> numbers = new HashMap<>();

	OutboxModel copy() {
		OutboxModel copy = new OutboxModel();
		copy.notes.addAll(this.notes);
		copy.handed.putAll(this.handed);
		copy.relaying = this.relaying;
		copy.until = this.until;
		copy.numbers.putAll(this.numbers);
		return copy;
	}

	boolean isEmpty() {
		return this.notes.isEmpty();
	}

	void clear() {
		this.notes.clear();
		this.handed.clear();
		this.relaying = null;
		this.numbers.clear();
	}

	/**
	 * A message waits to be sent. A delay begins now.
	 * @param found what is in Redis, which gave the note its id
	 */
	void add(NextMessage next, long now, StoreDump found) {
		NewMessage message = next.message();
		String when = "-";
		if (message.dueAt() != null) {
			when = "@" + message.dueAt().toEpochMilli();
		}
		else if (message.delay() != null) {
			when = "@" + (now + 1 + message.delay().toMillis());
		}
		String head = when + " " + message.uid() + " " + next.queue() + " ";
		assertThat(found.outbox()).as("notes, with one of %s", head).hasSizeGreaterThan(this.notes.size());
		this.notes.add(new Note(found.outbox().get(this.notes.size()).id(), head,
				new String(message.envelope(), StandardCharsets.UTF_8)));
	}

	/**
	 * A bundle is to learn how a message ended.
	 * @param text the whole note
	 */
	void addEnd(String text, StoreDump found) {
		assertThat(found.outbox()).as("notes, with one of an end").hasSizeGreaterThan(this.notes.size());
		this.notes.add(new Note(found.outbox().get(this.notes.size()).id(), text, null));
	}

	void outbox(OutboxScript.Request request, OutboxScript.Reply reply, long now) {
		this.notes.removeIf((note) -> request.relayed().contains(note.id()));
		long last = this.numbers.getOrDefault(request.instance(), 0L);
		boolean unbroken = last > 0 && (last == request.number() || last == request.number() - 1);
		if (this.notes.isEmpty()) {
			this.relaying = null;
			this.numbers.clear();
			assertThat(reply).isEqualTo(new OutboxScript.Reply(null, 0, unbroken, List.of()));
			return;
		}
		this.numbers.put(request.instance(), request.number());
		if (this.relaying != null && !this.relaying.equals(request.instance()) && this.until > now) {
			assertThat(reply.busy()).isEqualTo(Duration.ofMillis(this.until - now));
			return;
		}
		this.relaying = request.instance();
		this.until = now + request.lease().toMillis();
		assertThat(reply.busy()).isNull();
		assertThat(reply.count()).isEqualTo(this.notes.size());
		assertThat(reply.unbroken()).as("knows the last request of %s", request.instance()).isEqualTo(unbroken);
		List<String> ids = this.notes.stream().map(Note::id).toList();
		assertThat(reply.notes()).isNotEmpty();
		assertThat(reply.notes().stream().map(OutboxNote::id)).as("the first notes")
			.containsExactlyElementsOf(ids.subList(0, reply.notes().size()));
	}

	/**
	 * Whether a message was handed over lately.
	 */
	boolean remembers(String uid, long now) {
		return this.handed.getOrDefault(uid, 0L) > now;
	}

	void remember(List<String> uids, long till, long now) {
		uids.forEach((uid) -> this.handed.put(uid, till));
		this.handed.values().removeIf((each) -> each <= now);
	}

	void compare(StoreDump found) {
		assertThat(found.outbox()).as("notes").hasSameSizeAs(this.notes);
		for (int i = 0; i < this.notes.size(); i++) {
			Note note = this.notes.get(i);
			assertThat(found.outbox().get(i).text()).as("the note %s", note.id())
				.startsWith(note.head())
				.endsWith((note.envelope() != null) ? "\n" + note.envelope() : note.head());
			assertThat(found.outbox().get(i).id()).isEqualTo(note.id());
		}
		assertThat(found.meta().containsKey("outbox")).as("shows notes").isEqualTo(!this.notes.isEmpty());
		assertThat(found.meta().containsKey("relay")).as("relayed").isEqualTo(this.relaying != null);
		assertThat(found.meta().containsKey("relayed")).as("relayed before").isEqualTo(!this.numbers.isEmpty());
		assertThat(found.handed()).as("handed over").isEqualTo(this.handed);
	}

	/**
	 * A message that waits to be sent, or an end.
	 *
	 * @param head when, the uid, the queue; of an end, all
	 * @param envelope {@code null} of an end
	 */
	private record Note(String id, String head, String envelope) {

	}

}
