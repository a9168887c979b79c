package io.redelay.docs.recipes;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import io.redelay.queue.PayloadType;
import io.redelay.queue.QueueListener;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

@Component
class Parcels {

	private final Mailer mailer;

	Parcels(Mailer mailer) {
		this.mailer = mailer;
	}

	@QueueListener(queues = "parcels", onConversionFailure = "retry", maxAttempts = "20") // <1>
	void handle(ParcelSent parcel) {
		this.mailer.mail(parcel.recipient(), parcel.carrier() + " " + parcel.grams());
	}

	@PayloadType("parcel-sent") // <2>
	record ParcelSent(@JsonAlias("customer") String recipient, @Nullable Integer grams, Carrier carrier) { // <3>
	}

	enum Carrier {

		POST, COURIER, @JsonEnumDefaultValue
		OTHER // <4>

	}

}
