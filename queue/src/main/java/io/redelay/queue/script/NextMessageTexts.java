package io.redelay.queue.script;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.wire.QueueKeys;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a script sends in the same step as something else: the keys of their
 * queues, which are behind all other keys, and the texts.
 *
 * @since 0.1.0
 */
public final class NextMessageTexts {

	private final QueueKeys own;

	private final Function<String, QueueKeys> keysOf;

	private final boolean clustered;

	private final int first;

	private final Map<String, List<Object>> longest = new HashMap<>();

	private final List<Object> keys = new ArrayList<>();

	/**
	 * Where the keys of a queue begin.
	 */
	private final Map<String, Integer> places = new HashMap<>();

	/**
	 * Creates texts, for messages that are collected first.
	 * @param own the keys of the queue that the script is for
	 * @param keysOf the keys of any queue
	 * @param clustered whether only queues of the same slot can be reached
	 * @param first the place of the first key that is collected, from 1
	 */
	public NextMessageTexts(QueueKeys own, Function<String, QueueKeys> keysOf, boolean clustered, int first) {
		this.own = own;
		this.keysOf = keysOf;
		this.clustered = clustered;
		this.first = first;
	}

	/**
	 * Has the keys of the queue of a message named, if the script can send it.
	 * @param next the message
	 * @param again whether it may have been sent before Redis went back in time
	 * @return whether the script can send it
	 */
	public boolean collect(NextMessage next, boolean again) {
		boolean within = isWithinReach(next);
		if (within) {
			List<Object> names = names(next, again);
			this.longest.merge(next.queue(), names, (one, other) -> (one.size() >= other.size()) ? one : other);
		}
		return within;
	}

	/**
	 * Returns the keys of the queues, when all messages are collected.
	 * @return their names in Redis
	 */
	public List<Object> keys() {
		this.longest.forEach((queue, names) -> {
			this.places.put(queue, this.first + this.keys.size());
			this.keys.addAll(names);
		});
		this.longest.clear();
		return this.keys;
	}

	private boolean isWithinReach(NextMessage next) {
		return isWithinReach(next, this.own, this.keysOf, this.clustered);
	}

	/**
	 * Returns whether a script can send the message itself. A message with a time to live
	 * needs an announcement in another slot first, see {@link ExpiryAnnouncements}.
	 * @param own the keys of the queue that the script is for
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

	/**
	 * Returns the text of a message for the script, which leaves it to the outbox if the
	 * keys of its queue are not named.
	 * @param next the message
	 * @param again whether it may have been sent before Redis went back in time
	 * @param direct whether it is sent at all, and not left to the outbox
	 * @return the text
	 */
	public byte[] text(NextMessage next, boolean again, boolean direct) {
		@Nullable Integer place = (direct && isWithinReach(next)) ? this.places.get(next.queue()) : null;
		String limit = MessageArguments.limit(next.limit());
		String route = (place == null) ? "0 0 - - - "
				: place + " " + names(next, again).size() + " " + (next.queue().equals(this.own.queue()) ? "*" : "-")
						+ " " + (limit.isEmpty() ? "-" : limit) + " "
						+ (again ? ScriptTime.millis(SendRequest.HOLD_BACK) : "-") + " ";
		List<NewMessage> messages = List.of(next.message());
		byte[] packed = MessageArguments.packed(messages);
		byte[] rules = MessageArguments.rules(messages);
		byte[] head = next.noteHead().getBytes(StandardCharsets.UTF_8);
		byte[] sizes = (route + packed.length + " " + rules.length + " " + head.length + ":")
			.getBytes(StandardCharsets.UTF_8);
		return ByteBuffer.allocate(sizes.length + packed.length + rules.length + head.length)
			.put(sizes)
			.put(packed)
			.put(rules)
			.put(head)
			.array();
	}

}
