package io.redelay.queue.bundle.engine;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.redelay.log.PlainLog;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.message.BundleMembership;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.message.HandledMember;
import io.redelay.queue.message.OutboxNote;
import io.redelay.queue.request.RequestBatchers;
import io.redelay.queue.script.OutboxNoteHandler;
import io.redelay.queue.script.admin.BundleCommand;
import io.redelay.queue.script.admin.BundleScript;
import io.redelay.queue.script.admin.BundleScripts;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reports to bundles which of their messages have ended. A repeated report counts once.
 *
 * @since 0.1.0
 */
public final class BundleEnds implements OutboxNoteHandler {

	/**
	 * The kind of its notes.
	 */
	public static final char KIND = 'e';

	private static final Log logger = PlainLog.of(BundleEnds.class);

	private static final int LONGEST_MESSAGE = 200;

	private final RequestBatchers<BundleCommand, BundleScript.Result> commands;

	private final FailedAttemptCodec attempts;

	private final JsonMapper mapper;

	private final Consumer<String> relay;

	/**
	 * Creates a handler.
	 * @param scripts where bundles are kept
	 * @param mapper writes and reads JSON; its settings for objects do not matter
	 * @param relay called with each queue whose outbox has notes that follow; must be
	 * quick
	 */
	public BundleEnds(BundleScripts scripts, JsonMapper mapper, Consumer<String> relay) {
		this.relay = relay;
		this.commands = scripts.bundle().batchers();
		this.attempts = new FailedAttemptCodec(mapper);
		this.mapper = mapper;
	}

	@Override
	public char kind() {
		return KIND;
	}

	@Override
	public String target(OutboxNote note) {
		return EndNote.read(note.text()).bundle().queue();
	}

	@Override
	public CompletableFuture<Relayed> relay(String queue, List<OutboxNote> notes) {
		Map<BundleMembership, List<Batch>> byBundle = new LinkedHashMap<>();
		List<OutboxNote> done = new ArrayList<>();
		for (OutboxNote note : notes) {
			try {
				List<EndNote> read = EndNote.readAll(note.text());
				List<BundleCommand.MemberEnd> ends = read.stream().map((end) -> end(queue, end)).toList();
				batch(byBundle.computeIfAbsent(read.get(0).bundle(), (bundle) -> new ArrayList<>()), ends.size())
					.add(note, ends);
			}
			catch (IllegalArgumentException ex) {
				logger.warn("The outbox of the queue '" + queue + "' has a note that is removed: " + ex.getMessage());
				done.add(note);
			}
		}
		List<CompletableFuture<Relayed>> requests = new ArrayList<>();
		byBundle.forEach((bundle, batches) -> batches
			.forEach((batch) -> requests.add(submit(bundle, batch.notes(), batch.ends()))));
		return Relayed.all(done, requests);
	}

	/**
	 * Returns a batch that has room: a note is reported whole.
	 */
	private static Batch batch(List<Batch> batches, int ends) {
		Batch last = batches.isEmpty() ? null : batches.get(batches.size() - 1);
		if (last == null || last.ends().size() + ends > BundleScript.MAX_MEMBERS) {
			last = new Batch(new ArrayList<>(), new ArrayList<>());
			batches.add(last);
		}
		return last;
	}

	private BundleCommand.MemberEnd end(String queue, EndNote end) {
		return new BundleCommand.MemberEnd(queue, end.member(), end.way(), detail(queue, end));
	}

	private CompletableFuture<Relayed> submit(BundleMembership bundle, List<OutboxNote> notes,
			List<BundleCommand.MemberEnd> ends) {
		return this.commands.submit(bundle.queue(), List.of(BundleCommand.end(bundle.id(), ends)), true)
			.handle((reply, failure) -> {
				if (failure == null) {
					if (reply.follows()) {
						this.relay.accept(bundle.queue());
					}
					return new Relayed(notes, null);
				}
				return Relayed.failed(failure);
			});
	}

	private String detail(String queue, EndNote end) {
		if (end.detail().length == 0) {
			return "";
		}
		return end.way().equals(HandledMember.WAY) ? result(queue, end) : death(queue, end);
	}

	private String result(String queue, EndNote end) {
		HandledMember handled = HandledMember.read(end.detail());
		if (handled.isLeftOut()) {
			return BundleCommand.MemberEnd.LEFT_OUT;
		}
		String text = text(handled.value());
		Map<String, Object> written = new LinkedHashMap<>();
		written.put("queue", PartitionName.queueOf(queue));
		written.put("id", end.id());
		written.put("contentType", handled.contentType());
		written.put("value", (text != null) ? text : Base64.getEncoder().encodeToString(handled.value()));
		written.put("base64", text == null);
		return this.mapper.writeValueAsString(written);
	}

	/**
	 * Returns bytes as text, or {@code null} if they are none.
	 */
	private static @Nullable String text(byte[] value) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
		}
		catch (CharacterCodingException ex) {
			return null;
		}
	}

	private String death(String queue, EndNote end) {
		FailedAttempt attempt = this.attempts.read(new String(end.detail(), StandardCharsets.UTF_8));
		Map<String, Object> written = new LinkedHashMap<>();
		written.put("queue", PartitionName.queueOf(queue));
		written.put("id", end.id());
		if (attempt != null) {
			written.put("reason", (attempt.reason() != null) ? attempt.reason().name() : null);
			written.put("exception", attempt.exception());
			written.put("message", shortened(attempt.message()));
		}
		written.values().removeIf(Objects::isNull);
		return this.mapper.writeValueAsString(written);
	}

	private static @Nullable String shortened(@Nullable String text) {
		return (text == null || text.length() <= LONGEST_MESSAGE) ? text : text.substring(0,
				Character.isHighSurrogate(text.charAt(LONGEST_MESSAGE - 1)) ? LONGEST_MESSAGE - 1 : LONGEST_MESSAGE);
	}

	/**
	 * What is reported to a bundle.
	 *
	 * @param notes the notes
	 * @param ends what they say
	 */
	private record Batch(List<OutboxNote> notes, List<BundleCommand.MemberEnd> ends) {

		void add(OutboxNote note, List<BundleCommand.MemberEnd> noted) {
			this.notes.add(note);
			this.ends.addAll(noted);
		}

	}

}
