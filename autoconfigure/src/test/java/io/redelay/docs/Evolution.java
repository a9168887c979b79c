package io.redelay.docs;

// tag::imports[]
import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import io.redelay.queue.QueueListener;
// end::imports[]

/**
 * The code of the chapter "Payloads that change".
 */
class Evolution {

	private final Orders orders;

	Evolution(Orders orders) {
		this.orders = orders;
	}

	// tag::listener[]
	@QueueListener(queues = "deliveries", onConversionFailure = "retry", maxAttempts = "20")
	void deliver(Delivery delivery) {
		this.orders.report("deliver " + delivery);
	}
	// end::listener[]

	// tag::payload[]
	record Delivery(String id, @JsonAlias("street") String address, // <1>
			Integer floor, // <2>
			Carrier carrier) {

	}

	enum Carrier {

		POST, COURIER, @JsonEnumDefaultValue
		OTHER // <3>

	}
	// end::payload[]

}
