package io.redelay.queue.admin.engine.instance;

import java.io.StringWriter;
import java.lang.reflect.RecordComponent;
import java.util.Collection;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes the description of an instance as the mapper reads it, without what is
 * {@code null}. The serializers of the mapper would load some hundred and fifty classes
 * at the start of each application that has a listener.
 *
 * @param mapper creates the generator
 */
record DescriptionWriter(JsonMapper mapper) {

	String write(InstanceDescription description) {
		StringWriter text = new StringWriter();
		try (JsonGenerator json = this.mapper.createGenerator(text)) {
			write(json, description);
		}
		return text.toString();
	}

	private void write(JsonGenerator json, Object value) {
		if (value instanceof Record each) {
			writeRecord(json, each);
		}
		else if (value instanceof Collection<?> all) {
			json.writeStartArray();
			all.forEach((each) -> write(json, each));
			json.writeEndArray();
		}
		else if (value instanceof Boolean each) {
			json.writeBoolean(each);
		}
		else if (value instanceof Double each) {
			json.writeNumber(each);
		}
		else if (value instanceof Number each) {
			json.writeNumber(each.longValue());
		}
		else if (value instanceof Enum<?> each) {
			json.writeString(each.name());
		}
		else {
			json.writeString(value.toString());
		}
	}

	private void writeRecord(JsonGenerator json, Record value) {
		json.writeStartObject();
		for (RecordComponent each : value.getClass().getRecordComponents()) {
			Object part = part(value, each);
			if (part != null) {
				json.writeName(each.getName());
				write(json, part);
			}
		}
		json.writeEndObject();
	}

	private static @Nullable Object part(Record value, RecordComponent component) {
		try {
			return component.getAccessor().invoke(value);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("Cannot read '" + component + "'", ex);
		}
	}

}
