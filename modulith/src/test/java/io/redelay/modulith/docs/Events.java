package io.redelay.modulith.docs;

// tag::imports[]
import org.springframework.modulith.events.Externalized;
// end::imports[]

/**
 * Code of the guide.
 */
interface Events {

	// tag::events[]
	@Externalized("orders") // <1>
	record OrderPlaced(String id) {

	}

	@Externalized("topic:payments") // <2>
	record PaymentReceived(String orderId) {

	}

	@Externalized("shipments::#{customer()}") // <3>
	record Shipped(String orderId, String customer) {

	}
	// end::events[]

}
