package io.redelay.queue.bundle;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.redelay.queue.PayloadConversionException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.ByteArrayMessageConverter;
import org.springframework.messaging.converter.CompositeMessageConverter;
import org.springframework.messaging.converter.JacksonJsonMessageConverter;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.converter.SmartMessageConverter;
import org.springframework.messaging.converter.StringMessageConverter;
import org.springframework.messaging.support.GenericMessage;

/**
 * What the handlers of the messages of a bundle returned, see
 * {@link BundleCallback#keepResults()}: values that are converted when they are asked
 * for, in the order in which they came. A listener gets them with the
 * {@code MessageConverter} of its application. Immutable.
 *
 * @since 0.1.0
 */
public final class BundleResults {

	/**
	 * No results.
	 */
	public static final BundleResults NONE = new BundleResults(List.of(), 0);

	private final List<BundleResult> kept;

	private final int leftOut;

	private final @Nullable MessageConverter converter;

	/**
	 * Creates results, whose values are converted by a plain JSON mapper.
	 * @param kept the results
	 * @param leftOut how many are not kept
	 */
	@JsonCreator
	public BundleResults(@JsonProperty("kept") List<BundleResult> kept, @JsonProperty("leftOut") int leftOut) {
		this(kept, leftOut, null);
	}

	private BundleResults(List<BundleResult> kept, int leftOut, @Nullable MessageConverter converter) {
		this.kept = List.copyOf(kept);
		this.leftOut = leftOut;
		this.converter = converter;
	}

	/**
	 * The same results with another converter.
	 * @param converter converts the values when they are asked for
	 * @return the results
	 */
	public BundleResults convertedBy(MessageConverter converter) {
		return new BundleResults(this.kept, this.leftOut, converter);
	}

	/**
	 * The results that are kept. A handler that returned nothing has none.
	 * @return the results
	 */
	@JsonProperty("kept")
	public List<BundleResult> kept() {
		return this.kept;
	}

	/**
	 * How many results are not kept: they were too large, there was no room any more, or
	 * they could not be converted.
	 * @return how many
	 */
	@JsonProperty("leftOut")
	public int leftOut() {
		return this.leftOut;
	}

	/**
	 * Converts the result of a message.
	 * @param id the id of the message
	 * @param type the type
	 * @return the result, or nothing if none is kept
	 * @throws IllegalStateException if messages of this id in several queues have one
	 * @throws PayloadConversionException if it does not fit the type
	 */
	<T> Optional<T> find(String id, ParameterizedTypeReference<T> type) {
		List<BundleResult> found = this.kept.stream().filter((result) -> result.id().equals(id)).toList();
		if (found.size() > 1) {
			throw ambiguous(id);
		}
		return found.stream().findFirst().map((result) -> convert(result, type));
	}

	<T> Map<String, T> all(ParameterizedTypeReference<T> type) {
		Map<String, BundleResult> byId = new LinkedHashMap<>();
		for (BundleResult result : this.kept) {
			if (byId.put(result.id(), result) != null) {
				throw ambiguous(result.id());
			}
		}
		Map<String, T> all = new LinkedHashMap<>();
		byId.forEach((id, result) -> all.put(id, convert(result, type)));
		return all;
	}

	private static IllegalStateException ambiguous(String id) {
		return new IllegalStateException("Messages with the id '" + id
				+ "' in several queues have a result: go through kept() of the results, and convert each");
	}

	/**
	 * Converts a result.
	 * @param result one of those that are kept
	 * @param type the type
	 * @param <T> the type
	 * @return the value
	 * @throws PayloadConversionException if it does not fit the type
	 */
	@SuppressWarnings("unchecked")
	public <T> T convert(BundleResult result, ParameterizedTypeReference<T> type) {
		Class<T> raw = (Class<T>) ResolvableType.forType(type).toClass();
		if (raw == byte[].class) {
			return (T) result.toBytes();
		}
		String what = "The result of the message '" + result.id() + "' of the queue '" + result.queue()
				+ "' in a bundle does not fit the type " + type.getType().getTypeName();
		Message<?> message = new GenericMessage<>(result.toBytes(),
				Map.of(MessageHeaders.CONTENT_TYPE, result.contentType()));
		MessageConverter present = (this.converter != null) ? this.converter : PlainConverter.INSTANCE;
		Object value;
		try {
			value = (present instanceof SmartMessageConverter smart) ? smart.fromMessage(message, raw, type)
					: present.fromMessage(message, raw);
		}
		catch (RuntimeException ex) {
			// Its text may show what the result holds.
			throw new PayloadConversionException(what + " (" + ex.getClass().getSimpleName() + ")", null);
		}
		if (value == null) {
			throw new PayloadConversionException(what + ": no MessageConverter makes it of " + result.contentType(),
					null);
		}
		return (T) value;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof BundleResults results && results.leftOut == this.leftOut
				&& results.kept.equals(this.kept);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.kept, this.leftOut);
	}

	@Override
	public String toString() {
		return this.kept.size() + " result(s) kept, " + this.leftOut + " left out";
	}

	/**
	 * Converts what no application's converter is known for, as in a test.
	 */
	private static final class PlainConverter {

		static final MessageConverter INSTANCE = new CompositeMessageConverter(
				List.of(new StringMessageConverter(), new ByteArrayMessageConverter(),
						new JacksonJsonMessageConverter(JsonMapper.builder().findAndAddModules().build())));

		private PlainConverter() {
		}

	}

}
