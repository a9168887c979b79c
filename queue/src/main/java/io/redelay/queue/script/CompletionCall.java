package io.redelay.queue.script;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.redelay.queue.message.Completion;
import io.redelay.queue.message.CompletionSection;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.message.SavedRunState;
import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.wire.QueueKeys;
import org.jspecify.annotations.Nullable;

/**
 * The part of a claim that goes together with acknowledgements: the keys of the queues
 * that messages are sent to, which are behind all other keys, and the texts.
 */
final class CompletionCall {

	private final QueueKeys own;

	private final Function<String, QueueKeys> keysOf;

	private final boolean clustered;

	private final List<Object> keys = new ArrayList<>();

	/**
	 * Where the keys of a queue begin.
	 */
	private final Map<String, Integer> places = new HashMap<>();

	/**
	 * Where the key of recurring messages is; 0 if no state of one is saved.
	 */
	private final int recurring;

	/**
	 * Collects the keys of all queues to which messages can be sent in the same step.
	 * @param own the keys of the queue of the acknowledged messages
	 * @param keysOf the keys of any queue
	 * @param clustered whether only queues of the same slot can be reached
	 * @param first the place of the first key that is collected, from 1
	 */
	CompletionCall(QueueKeys own, Function<String, QueueKeys> keysOf, boolean clustered, List<Settlement> settlements,
			int first) {
		this.own = own;
		this.keysOf = keysOf;
		this.clustered = clustered;
		Map<String, List<Object>> longest = new HashMap<>();
		boolean savesState = false;
		for (Settlement settlement : settlements) {
			Completion completion = settlement.completion();
			if (completion != null) {
				completion.sections().forEach((section) -> collect(section, completion.isAgain(), longest));
				savesState |= completion.sections().stream().anyMatch(SavedRunState.class::isInstance);
			}
		}
		longest.forEach((queue, names) -> {
			this.places.put(queue, first + this.keys.size());
			this.keys.addAll(names);
		});
		this.recurring = savesState ? first + this.keys.size() : 0;
		if (savesState) {
			this.keys.add(own.recurring());
		}
	}

	private void collect(CompletionSection section, boolean again, Map<String, List<Object>> longest) {
		if (section instanceof NextMessage next && isWithinReach(next)) {
			List<Object> names = names(next, again);
			longest.merge(next.queue(), names, (one, other) -> (one.size() >= other.size()) ? one : other);
		}
	}

	private boolean isWithinReach(NextMessage next) {
		return isWithinReach(next, this.own, this.keysOf, this.clustered);
	}

	/**
	 * Returns whether the script that acknowledges can send the message itself. A message
	 * with a time to live needs an announcement in another slot first, see
	 * {@link ExpiryAnnouncements}.
	 * @param own the keys of the queue of the acknowledged message
	 * @param keysOf the keys of any queue
	 * @param clustered whether only queues of the same slot can be reached
	 */
	static boolean isWithinReach(NextMessage next, QueueKeys own, Function<String, QueueKeys> keysOf,
			boolean clustered) {
		return !EnvelopeCodec.expires(next.message().envelope())
				&& (!clustered || keysOf.apply(next.queue()).sharesSlot(own));
	}

	/**
	 * Returns the keys that a send of the message names, without that of its lane. A
	 * message that needs more keys has the same first ones.
	 */
	private List<Object> names(NextMessage next, boolean again) {
		List<Object> names = SendScript.keys(this.keysOf.apply(next.queue()),
				new SendRequest("", 1, false, List.of(next.message()), next.limit(), again, false));
		return names.subList(1, names.size());
	}

	List<Object> keys() {
		return this.keys;
	}

	byte[] text(Completion completion) {
		ByteArrayOutputStream text = new ByteArrayOutputStream();
		for (CompletionSection section : completion.sections()) {
			byte[] content = (section instanceof NextMessage next) ? text(next, completion.isAgain())
					: (section instanceof SavedRunState saved) ? text(saved) : section.text();
			text.writeBytes(utf8(section.type() + Integer.toString(content.length) + ":"));
			text.writeBytes(content);
		}
		return text.toByteArray();
	}

	private byte[] text(SavedRunState saved) {
		ByteArrayOutputStream text = new ByteArrayOutputStream();
		text.writeBytes(utf8(this.recurring + " "));
		text.writeBytes(saved.text());
		return text.toByteArray();
	}

	private byte[] text(NextMessage next, boolean again) {
		ByteArrayOutputStream text = new ByteArrayOutputStream();
		@Nullable Integer place = isWithinReach(next) ? this.places.get(next.queue()) : null;
		if (place == null) {
			text.writeBytes(utf8("0 0 - - - 0:0:"));
		}
		else {
			String limit = MessageArguments.limit(next.limit());
			text.writeBytes(utf8(place + " " + names(next, again).size() + " "
					+ (next.queue().equals(this.own.queue()) ? "*" : "-") + " " + (limit.isEmpty() ? "-" : limit) + " "
					+ (again ? ScriptTime.millis(SendRequest.HOLD_BACK) : "-") + " "));
			add(text, utf8(MessageArguments.head(next.message())));
			add(text, MessageArguments.rules(List.of(next.message())));
		}
		text.writeBytes(next.text());
		return text.toByteArray();
	}

	private static void add(ByteArrayOutputStream text, byte[] content) {
		text.writeBytes(utf8(content.length + ":"));
		text.writeBytes(content);
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
