package io.redelay.template;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for templates from which keys of messages are made.
 */
class MessageTemplatesTests {

	private static final String PLACE = "'redelay.queue.queues.orders.ordering-key'";

	private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

	private final MessageTemplates templates = new MessageTemplates(this.beans);

	@ParameterizedTest
	@CsvSource(quoteCharacter = '"', delimiter = ';', textBlock = """
			"#{payload.customer}"; acme
			"#{payload['customer']}"; acme
			"#{payload.number}"; 7
			customer-#{payload.customer}/#{headers['region']}; customer-acme/eu
			"#{headers.region}"; eu
			"#{queue}:#{id}"; orders:order-7
			"#{@tenants.of(payload.customer)}"; tenant of acme
			"#{T(java.lang.Math).floorMod(payload.number, 4)}"; 3
			"#{payload.lines.?[sku == 'a'][0].sku}"; a
			all; all
			""")
	void aTextIsMadeOfPayloadAndHeaders(String template, String text) {
		this.beans.registerSingleton("tenants", new Tenants());
		assertThat(this.templates.parse(PLACE, template).text(message(new Order("acme", 7, List.of(new Line("a"))))))
			.isEqualTo(text);
	}

	@Test
	void aMapIsReadLikeAnObject() {
		assertThat(this.templates.parse(PLACE, "#{payload.customer}")
			.text(new MessageScope("orders", "1", Map.of("customer", "acme"), Map.of()))).isEqualTo("acme");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#{T(java.lang.System).exit(1)}", "#{payload}", "${user.home}", "#{@tenants.of('x')}" })
	void whatAPayloadHoldsIsNotEvaluated(String customer) {
		assertThat(
				this.templates.parse(PLACE, "c-#{payload.customer}").text(message(new Order(customer, 1, List.of()))))
			.isEqualTo("c-" + customer);
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '"', textBlock = """
			"#{payload.customer"; cannot be read
			"#{customer}"; 'customer' is none of [payload, headers, queue, id]
			"#{#customer}"; '#customer' is none of
			"#{@nobody.of(payload)}"; no bean 'nobody'
			"#{T(nosuch.Type).of(payload)}"; no type nosuch.Type
			payload#{}; cannot be read
			"#payload.customer"; outside of #{…}
			"  "; is blank
			""")
	void aTemplateThatCannotWorkIsRefused(String template, String problem) {
		assertThatExceptionOfType(TemplateException.class).isThrownBy(() -> this.templates.parse(PLACE, template))
			.withMessageStartingWith(PLACE + ", '" + template + "', cannot work: ")
			.withMessageContaining(problem)
			.withMessageContaining("#{");
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '"', textBlock = """
			"#{payload.customer}"; is null
			c-#{payload.customer}; is null
			"#{payload.nothing}"; cannot be evaluated
			"#{payload.customer.length()}"; cannot be evaluated
			"#{payload.fail()}"; failed
			"#{headers['nobody']}"; is null
			"#{' '}"; is blank
			""")
	void aPartWithoutATextIsRefused(String template, String problem) {
		MessageTemplate parsed = this.templates.parse(PLACE, template);
		assertThatExceptionOfType(TemplateException.class)
			.isThrownBy(() -> parsed.text(message(new Order(null, 1, List.of()))))
			.withMessageStartingWith("In " + PLACE + ", '" + template + "', the part #{")
			.withMessageContaining(problem);
	}

	@Test
	void whatTheMessageIsMadeOfNeedNotBePrintable() {
		MessageTemplate parsed = this.templates.parse(PLACE, "#{payload}");
		assertThatExceptionOfType(TemplateException.class).isThrownBy(() -> parsed.text(message(new Object())))
			.withMessageContaining("is an object of java.lang.Object");
	}

	private static MessageScope message(Object payload) {
		return new MessageScope("orders", "order-7", payload, Map.of("region", "eu"));
	}

	public record Order(String customer, int number, List<Line> lines) {

		public String fail() {
			throw new IllegalStateException("No key today");
		}

	}

	public record Line(String sku) {

	}

	public static class Tenants {

		public String of(String customer) {
			return "tenant of " + customer;
		}

	}

}
