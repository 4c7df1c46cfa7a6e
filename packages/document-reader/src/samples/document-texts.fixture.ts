/** Texts of the test documents. Invented people, places and numbers. */

export const TENANCY = `
# Assured shorthold tenancy agreement

This agreement is made on 14 March 2026 between Eleanor Whitcombe of 5 Chapel Hill, Bristol (the “Landlord”) and Thomas Adeyemi of 31 Mill Road, Cardiff (the “Tenant”). It sets out the terms on which the Landlord lets the Property to the Tenant, and it creates an assured shorthold tenancy within the meaning of the Housing Act 1988.

# 1. The property

Property: Flat 2, 9 Harbour Terrace, Bristol BS1 6UX. The Property is let together with the furniture listed in the inventory, the use of the shared hall and stairs, and one parking space behind the building marked with the number of the flat.

# 2. Term

The tenancy is granted for an initial term of 12 months. Start date: 1 April 2026. End date: 31 March 2027. If the Tenant stays in the Property after the end of the term with the Landlord’s agreement, the tenancy continues from month to month on the same terms until either party ends it by notice.

# 3. Rent and deposit

The monthly rent is £1,125.00, payable in advance on the first day of each month by standing order. The Tenant pays a deposit of £1,295.00 before the start date. The Landlord will protect the deposit in an authorised scheme within 30 days and will give the Tenant the prescribed information about it. Interest at 3% above the base rate is due on rent that is more than 14 days late.

The Landlord may propose a new rent once a year, by at least two months’ notice in writing. The Tenant may refer a proposed rent to the tribunal. The rent includes water, and does not include gas, electricity, council tax or the television licence, which the Tenant pays to the suppliers.

# 4. What the tenant agrees to

The Tenant agrees to keep the inside of the Property clean and in good repair, fair wear and tear excepted. The Tenant shall report any defect to the Landlord without delay, and shall let the Landlord’s contractors in after at least 24 hours’ notice, or at once in an emergency. The Tenant shall not sublet the Property or take in a lodger without the written consent of the Landlord, which is not to be withheld without a good reason.

The Tenant may keep one cat or one small dog in the Property, after telling the Landlord. Any other animal needs consent. Smoking is not allowed inside the building. The Tenant shall not make noise that can be heard outside the Property between eleven at night and seven in the morning.

# 5. What the landlord agrees to

The Landlord agrees to keep the structure and the outside of the Property in repair, and the installations for water, gas, electricity, heating and hot water in proper working order. The Landlord shall insure the building, and shall have the gas appliances checked every year by a registered engineer. The Landlord shall give the Tenant the energy performance certificate and the electrical safety report before the tenancy starts.

# 6. Ending the tenancy

Either party may end the tenancy after the first six months by giving at least two months notice in writing. At the end of the tenancy the Tenant shall return the keys, remove all belongings and leave the Property in the condition recorded in the inventory. The Landlord shall return the deposit within 10 days after both parties have agreed the deductions, if there are any.

# 7. Notices

Notices to the Landlord may be sent by post to 5 Chapel Hill or by e-mail to lettings@whitcombe.example. Notices to the Tenant may be left at the Property. This agreement is governed by the law of England and Wales. Both parties have read it and have received a copy.
`;

export const SUPPLIER_TERMS: (string | { style: string; text: string } | { rows: string[][] })[] = [
  { style: 'Title', text: 'Supplier terms for fresh produce' },
  'These supplier terms and conditions apply to every order that Harbour & Field Ltd (the “Buyer”) places with Greenacre Growers Limited (the “Supplier”). Effective date: 1 May 2026. They replace all earlier terms between the parties.',
  { style: 'Heading1', text: 'Orders and delivery' },
  'The Buyer sends each order by e-mail before noon, and the Supplier confirms it within two hours. A confirmed order may be changed only by agreement. The Supplier delivers to the Buyer’s depot in Avonmouth between five and seven in the morning of the next working day.',
  'The Supplier shall deliver produce that was picked no more than 48 hours before, kept between two and five degrees during transport, and labelled with the field and the day of harvest. The Buyer may refuse a delivery that does not meet these terms, and the Supplier then collects it at its own cost.',
  { style: 'Heading1', text: 'Prices and payment' },
  'Prices are those of the weekly list, without VAT. The Supplier may change the list every Monday. Payment terms: 30 days from the date of the invoice. The Buyer may hold back payment for a delivery that it has refused.',
  {
    rows: [
      ['Item', 'Unit', 'Price'],
      ['New potatoes', '10 kg', '£8.40'],
      ['Spring greens', 'crate', '£11.20'],
      ['Annual fee', 'year', '£250.00'],
    ],
  },
  { style: 'Heading1', text: 'Liability and termination' },
  'The liability of either party under these terms shall not exceed £50,000 in any year, except for injury caused by negligence. Either party may terminate the agreement by giving at least 90 days notice in writing, and at once if the other party is insolvent or commits a serious breach that it does not put right within 14 days.',
  'The Supplier shall keep the records that food law asks for during five years, and shall show them to the Buyer on request. The Buyer may visit the fields and the packing house after announcing the visit. These terms are governed by the law of England and Wales.',
  'Questions about these terms: buying@harbourfield.example, telephone 0117 496 0182.',
];

export const NEWSLETTER = [
  `The harbour council decided in January to rebuild the eastern quay. The work begins in May and takes about eighteen months. Boats that lie there now will move to the inner basin, where forty new moorings are being made ready.

The old quay was built in the nineteenth century from timber and rubble. Divers who inspected the piles last summer found that a third of them had lost more than half of their strength. The council therefore closed the road above it to lorries.

The new quay will stand on steel piles that reach the rock twelve metres below the mud. It will be wide enough for a footpath, a cycle track and a row of trees, and it will be half a metre higher than the old one, because the sea is rising.`,
  `During the work the fish market moves to the customs shed. Traders pay no rent for the first three months. The ferry to the island keeps its timetable, but leaves from the northern steps.

The council expects that the new quay will cost nine million pounds. Two thirds of the sum come from the national fund for coasts, and the rest comes from harbour dues, which rise by four per cent a year until the work is finished.

Residents can see the plans in the library until the end of March. The harbour master answers questions every Thursday evening. A model of the new quay stands in the entrance hall of the town museum.`,
];
