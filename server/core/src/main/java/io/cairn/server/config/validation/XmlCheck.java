package io.cairn.server.config.validation;

import java.io.StringReader;
import java.util.Optional;
import javax.xml.stream.Location;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** A well-formed XML document. A document type is skipped; entities are neither fetched nor expanded. */
final class XmlCheck {

    private XmlCheck() {}

    static Optional<Problem> check(String text) {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
        factory.setXMLResolver((publicId, systemId, base, namespace) -> {
            throw new XMLStreamException("references to other documents are not followed");
        });
        try {
            XMLStreamReader reader = factory.createXMLStreamReader(new StringReader(text));
            try {
                return read(reader);
            } finally {
                reader.close();
            }
        } catch (XMLStreamException e) {
            Location at = e.getLocation();
            return Optional.of(new Problem(
                    at == null ? 1 : at.getLineNumber(), at == null ? 1 : at.getColumnNumber(), message(e)));
        }
    }

    private static Optional<Problem> read(XMLStreamReader reader) throws XMLStreamException {
        int depth = 0;
        while (reader.hasNext()) {
            int event = reader.next();
            if (event == XMLStreamConstants.START_ELEMENT && ++depth > ContentValidator.MAX_DEPTH) {
                Location at = reader.getLocation();
                return Optional.of(new Problem(
                        at.getLineNumber(),
                        at.getColumnNumber(),
                        "more than " + ContentValidator.MAX_DEPTH + " levels"));
            } else if (event == XMLStreamConstants.END_ELEMENT) {
                depth--;
            }
        }
        return Optional.empty();
    }

    /** The parser's text without its repeated place. */
    private static String message(XMLStreamException e) {
        String text = String.valueOf(e.getMessage());
        int mark = text.indexOf("Message: ");
        return mark < 0 ? text : text.substring(mark + "Message: ".length());
    }
}
