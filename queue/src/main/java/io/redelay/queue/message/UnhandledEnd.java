package io.redelay.queue.message;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The end of a message that was not handled, as its bundle counts it if it has one. Must
 * be the first section of a completion.
 *
 * @param way how it ended: the name of a count of
 * {@link io.redelay.queue.bundle.BundleSummary}
 * @param cause its cause of death, as JSON, or empty if it is not dead
 * @since 0.1.0
 */
public record UnhandledEnd(String way, String cause) implements CompletionSection {

	/**
	 * The end of a message whose time to live was over.
	 */
	public static final String EXPIRED = "expired";

	/**
	 * Returns the completion of a message whose time to live was over and which is not
	 * kept.
	 * @return the completion
	 */
	public static Completion expired() {
		return expired(List.of());
	}

	/**
	 * Returns the completion of a message whose time to live was over.
	 * @param others the other sections
	 * @return the completion
	 */
	public static Completion expired(List<CompletionSection> others) {
		return completion(new UnhandledEnd(EXPIRED, ""), others);
	}

	/**
	 * Returns the completion of a message that died and is kept elsewhere.
	 * @param cause its cause of death, as JSON
	 * @param others the other sections
	 * @return the completion
	 */
	public static Completion dead(String cause, List<CompletionSection> others) {
		return completion(new UnhandledEnd("dead", cause), others);
	}

	/**
	 * Finds the end in a settlement.
	 * @param settlement the settlement
	 * @return the end, or {@code null} if the message was handled
	 */
	public static @Nullable UnhandledEnd of(Settlement settlement) {
		Completion completion = settlement.completion();
		if (completion != null) {
			for (CompletionSection section : completion.sections()) {
				if (section instanceof UnhandledEnd end) {
					return end;
				}
			}
		}
		return null;
	}

	private static Completion completion(UnhandledEnd otherwise, List<CompletionSection> others) {
		List<CompletionSection> sections = new ArrayList<>();
		sections.add(otherwise);
		sections.addAll(others);
		return new Completion(sections, (counted) -> {
		});
	}

	/**
	 * Returns whether this is the end of a message whose time to live was over.
	 * @return whether it is
	 */
	public boolean isExpiry() {
		return this.way.equals(EXPIRED);
	}

	@Override
	public char type() {
		return 'w';
	}

	@Override
	public byte[] text() {
		return (this.way + '\0' + this.cause).getBytes(StandardCharsets.UTF_8);
	}

	@Override
	public long size() {
		return this.way.length() + 1L + this.cause.length();
	}

}
