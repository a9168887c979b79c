package io.redelay.queue.script;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.script.StoreModel.Message;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a command says that changes a message, for {@link StoreModel}.
 */
record ChangedMessage(String digest, String tries, Integer failures, Integer priority, int former, Duration ageing,
		String envelope) {

	/**
	 * The times at the beginning of an envelope.
	 */
	static final Pattern TIMES = Pattern.compile("\\{\"sentAt\":\\d+,(?:\"dueAt\":\\d+,)?");

	static ChangedMessage of(String argument) {
		String[] words = argument.split(" ", 7);
		return new ChangedMessage(words[0], words[1], number(words[2]), number(words[3]), Integer.parseInt(words[4]),
				(number(words[5]) != null) ? Duration.ofMillis(number(words[5])) : null, words[6]);
	}

	private static Integer number(String word) {
		return word.equals("-") ? null : (Integer) Integer.parseInt(word);
	}

	/**
	 * The envelope of a message with another payload, and without its times.
	 */
	static byte[] envelope(Message message, String more) {
		Matcher times = TIMES.matcher(message.envelope);
		assertThat(times.lookingAt()).isTrue();
		String others = message.envelope.substring(times.end());
		return ("{" + others.substring(0, others.length() - 2) + more + "\"}").getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Whether a message is as it was when this was made up.
	 */
	boolean found(Message message) {
		try {
			byte[] sha1 = MessageDigest.getInstance("SHA-1").digest(message.envelope.getBytes(StandardCharsets.UTF_8));
			return this.digest.equals(HexFormat.of().formatHex(sha1))
					&& this.tries.equals(message.failures + "/" + message.crashes);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new AssertionError(ex);
		}
	}

	/**
	 * The keys of a message with the new priority; none if it stays plain.
	 */
	MessageKeys keys(MessageKeys keys) {
		if (keys == null) {
			return (this.priority != MessageKeys.DEFAULT_PRIORITY)
					? new MessageKeys(null, null, 1, this.priority, null, false) : null;
		}
		return new MessageKeys(keys.orderingKey(), keys.fairnessKey(), keys.weight(), this.priority, keys.ageing(),
				keys.deadHoldsKey(), keys.tags());
	}

	String envelopeOf(Message message) {
		Matcher times = TIMES.matcher(message.envelope);
		assertThat(times.lookingAt()).isTrue();
		return times.group() + this.envelope.substring(1);
	}

}
